/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

struct picture picture_create(int width, int height)
{
    struct picture picture = {width, height, calloc((size_t)width * (size_t)height, 3)};
    if (picture.pixels == NULL) {
        fprintf(stderr, "no memory for a picture of %d x %d\n", width, height);
        exit(EXIT_FAILURE);
    }
    return picture;
}

void picture_destroy(struct picture *picture)
{
    free(picture->pixels);
    *picture = (struct picture){0};
}

struct picture picture_load_jpeg(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    decoder.err = jpeg_std_error(&errors); /* prints, and ends the program, when the file is no JPEG */
    jpeg_create_decompress(&decoder);
    jpeg_stdio_src(&decoder, file);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    struct picture picture = picture_create((int)decoder.output_width, (int)decoder.output_height);
    while (decoder.output_scanline < decoder.output_height) {
        JSAMPROW row = picture.pixels + (size_t)decoder.output_scanline * decoder.output_width * 3;
        jpeg_read_scanlines(&decoder, &row, 1);
    }
    jpeg_finish_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    fclose(file);
    return picture;
}

void picture_save_png(const struct picture *picture, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)picture->width,
                       .height = (png_uint_32)picture->height,
                       .format = PNG_FORMAT_RGB};
    if (!png_image_write_to_file(&image, path, 0, picture->pixels, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        exit(EXIT_FAILURE);
    }
}

void picture_paste(struct picture *target, const struct picture *source, int x, int y)
{
    const size_t row_nbytes = (size_t)source->width * 3;
    for (int row = 0; row < source->height; row++)
        memcpy(target->pixels + ((size_t)(y + row) * (size_t)target->width + (size_t)x) * 3,
               source->pixels + (size_t)row * row_nbytes, row_nbytes);
}

/* Seven rows of five bits, the leftmost pixel the highest bit. The letters of `hanging` are drawn two
 * rows lower. */
static const char hanging[] = "gpqy";
static const struct {
    char letter;
    unsigned char row[7];
} font[] = {
    {'_', {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f}}, {'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}}, {'2', {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}},
    {'3', {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}}, {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}}, {'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x04, 0x04, 0x08, 0x08}}, {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
    {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}}, {'a', {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}},
    {'b', {0x10, 0x10, 0x1e, 0x11, 0x11, 0x11, 0x1e}}, {'c', {0x00, 0x00, 0x0e, 0x11, 0x10, 0x11, 0x0e}},
    {'d', {0x01, 0x01, 0x0f, 0x11, 0x11, 0x11, 0x0f}}, {'e', {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}},
    {'f', {0x06, 0x08, 0x1c, 0x08, 0x08, 0x08, 0x08}}, {'g', {0x0f, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x0e}},
    {'h', {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}}, {'i', {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e}},
    {'j', {0x02, 0x00, 0x06, 0x02, 0x02, 0x12, 0x0c}}, {'k', {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}},
    {'l', {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}}, {'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15}},
    {'n', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}}, {'o', {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}},
    {'p', {0x1e, 0x11, 0x11, 0x11, 0x1e, 0x10, 0x10}}, {'q', {0x0f, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x01}},
    {'r', {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}}, {'s', {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e}},
    {'t', {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06}}, {'u', {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d}},
    {'v', {0x00, 0x00, 0x11, 0x11, 0x11, 0x0a, 0x04}}, {'w', {0x00, 0x00, 0x11, 0x15, 0x15, 0x15, 0x0a}},
    {'x', {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11}}, {'y', {0x11, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x0e}},
    {'z', {0x00, 0x00, 0x1f, 0x02, 0x04, 0x08, 0x1f}},
};

enum { LETTER_SCALE = 2, LETTER_STEP = 6 * LETTER_SCALE };

static void draw_letter(struct picture *target, const unsigned char *rows, int x, int y)
{
    for (int v = 0; v < 7 * LETTER_SCALE; v++) {
        for (int u = 0; u < 5 * LETTER_SCALE; u++) {
            const int lit = rows[v / LETTER_SCALE] >> (4 - u / LETTER_SCALE) & 1;
            if (lit && x + u < target->width && y + v < target->height)
                memset(target->pixels + ((size_t)(y + v) * (size_t)target->width + (size_t)(x + u)) * 3, 255, 3);
        }
    }
}

void picture_label(struct picture *target, const char *text, int x, int y)
{
    for (; *text != '\0'; text++, x += LETTER_STEP)
        for (size_t k = 0; k < sizeof(font) / sizeof(font[0]); k++)
            if (font[k].letter == *text)
                draw_letter(target, font[k].row, x, y + (strchr(hanging, *text) != NULL ? 2 * LETTER_SCALE : 0));
}
