/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in files, and a little drawing: what the examples need beside regrad. */
#ifndef PICTURE_H
#define PICTURE_H

/* 8-bit RGB, three bytes a pixel, row by row. pixels is malloc'd; all of it is 0 when there is none. */
struct picture {
    int width, height;
    unsigned char *pixels;
};

/* A black picture. Ends the program when there is no memory. */
struct picture picture_create(int width, int height);
void picture_destroy(struct picture *picture);

/* Both say on standard error what went wrong, and end the program. */
struct picture picture_load_jpeg(const char *path);
void picture_save_png(const struct picture *picture, const char *path);

/* Copies source into target, its upper left corner at (x, y). It must fit. */
void picture_paste(struct picture *target, const struct picture *source, int x, int y);

/* Writes text, white, in letters of 10 x 18 pixels, its upper left corner at (x, y). Lower case
 * letters, digits and '_' are known; everything else is a gap. What does not fit is cut off. */
void picture_label(struct picture *target, const char *text, int x, int y);

#endif
