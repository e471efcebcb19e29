/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/check_print.h"

#include "acl/now.h"

/* ---- The block -------------------------------------------------------------------------------- */

static void put_place(struct rg_text *text, const char *before, const struct rg_place *place, rg_frame_text *frame_text)
{
    char frame[RG_PLACE_TEXT];
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL; k++) {
        frame_text(place->frame[k], frame);
        rg_text_put(text, k == 0 ? before : "                 ");
        rg_text_put(text, frame);
        rg_text_put(text, "\n");
    }
}

static void put_field(struct rg_text *text, const char *name, const char *value)
{
    rg_text_put(text, name);
    rg_text_put(text, value);
    rg_text_put(text, "\n");
}

void rg_check_print_block(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                          rg_frame_text *frame_text)
{
    rg_text_put(text, "regrad check: ");
    put_field(text, finding->kind, finding->is_note ? " (note)" : "");
    rg_text_put(text, "  call     ");
    rg_text_put(text, finding->function);
    put_field(text, finding->argument != NULL ? ", argument " : "", finding->argument != NULL ? finding->argument : "");
    put_place(text, "  at       ", place, frame_text);
    put_field(text, "  what     ", finding->what);
    for (int k = 0; k < finding->n_objects; k++) {
        put_field(text, "  object   ", finding->object[k].what);
        put_place(text, "           at    ", &finding->object[k].place, frame_text);
    }
    put_field(text, "  instead  ", finding->instead);
}

/* ---- The line of JSON ------------------------------------------------------------------------- */

static void put_character(struct rg_text *text, char c)
{
    const char string[] = {c, '\0'}, escaped[] = {'\\', c, '\0'};
    const unsigned code = (unsigned char)c;
    const char control[] = {'\\', 'u', '0', '0', "0123456789abcdef"[code / 16], "0123456789abcdef"[code % 16], '\0'};
    rg_text_put(text, code < 0x20 ? control : c == '"' || c == '\\' ? escaped : string);
}

static void put_string(struct rg_text *text, const char *string)
{
    rg_text_put(text, "\"");
    for (; *string != '\0'; string++)
        put_character(text, *string);
    rg_text_put(text, "\"");
}

static void put_member(struct rg_text *text, const char *name, const char *value)
{
    rg_text_put(text, ",\"");
    rg_text_put(text, name);
    rg_text_put(text, "\":");
    put_string(text, value);
}

static void put_frames(struct rg_text *text, const struct rg_place *place, rg_frame_text *frame_text)
{
    char frame[RG_PLACE_TEXT];
    rg_text_put(text, ",\"at\":[");
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL; k++) {
        frame_text(place->frame[k], frame);
        rg_text_put(text, k > 0 ? "," : "");
        put_string(text, frame);
    }
    rg_text_put(text, "]");
}

void rg_check_print_line(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                         rg_frame_text *frame_text)
{
    rg_text_put(text, "{\"finding\":");
    put_string(text, finding->kind);
    rg_text_put(text, finding->is_note ? ",\"note\":true" : ",\"note\":false");
    rg_text_put(text, ",\"time_us\":");
    rg_text_put_decimal(text, rg_now() / 1000);
    put_member(text, "function", finding->function);
    if (finding->argument != NULL)
        put_member(text, "argument", finding->argument);
    put_member(text, "what", finding->what);
    put_member(text, "instead", finding->instead);
    put_frames(text, place, frame_text);
    rg_text_put(text, ",\"objects\":[");
    for (int k = 0; k < finding->n_objects; k++) {
        rg_text_put(text, k > 0 ? ",{\"what\":" : "{\"what\":");
        put_string(text, finding->object[k].what);
        put_frames(text, &finding->object[k].place, frame_text);
        rg_text_put(text, "}");
    }
    rg_text_put(text, "]}\n");
}
