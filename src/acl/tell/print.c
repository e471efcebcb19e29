/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/print.h"

#include <string.h>
#include <unistd.h>

#include "acl/sys/now.h"

/* ---- The block -------------------------------------------------------------------------------- */

static void put_place(struct rg_text *text, const char *before, const struct rg_place *place,
                      rg_describe_frame *describe)
{
    struct rg_frame is;
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL; k++) {
        describe(place->frame[k], &is);
        rg_text_put(text, k == 0 ? before : "                 ");
        rg_text_put_plain(text, is.text);
        rg_text_put(text, "\n");
    }
}

static void put_field(struct rg_text *text, const char *name, const char *value)
{
    rg_text_put(text, name);
    rg_text_put_plain(text, value);
    rg_text_put(text, "\n");
}

void rg_check_print_block(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                          rg_describe_frame *describe)
{
    rg_text_put(text, "regrad check: ");
    put_field(text, finding->kind, finding->is_note ? " (note)" : "");
    rg_text_put(text, "  call     ");
    rg_text_put(text, finding->function->name);
    put_field(text, finding->argument != NULL ? ", argument " : "", finding->argument != NULL ? finding->argument : "");
    put_place(text, "  at       ", place, describe);
    put_field(text, "  what     ", finding->what);
    for (int k = 0; k < finding->n_objects; k++) {
        put_field(text, "  object   ", finding->object[k].what);
        put_place(text, "           at    ", &finding->object[k].place, describe);
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

/* Texts, which come later, have room: a path may be left out. */
static bool has_room(const struct rg_text *text, const char *path)
{
    enum { OTHERS = 14336 };
    return path[0] != '\0' && text->length + 2 * strlen(path) + OTHERS < text->room;
}

static void put_frame(struct rg_text *text, const struct rg_frame *is, bool is_exact)
{
    rg_text_put(text, "{\"text\":");
    put_string(text, is->text);
    if (has_room(text, is->module)) {
        put_member(text, "module", is->module);
        rg_text_put(text, ",\"address\":\"");
        rg_text_put_hex(text, is->address);
        rg_text_put(text, is_exact ? "\",\"exact\":true" : "\"");
    }
    rg_text_put(text, "}");
}

static void put_frames(struct rg_text *text, const struct rg_place *place, rg_describe_frame *describe, bool is_exact)
{
    struct rg_frame is;
    rg_text_put(text, ",\"at\":[");
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL; k++) {
        describe(place->frame[k], &is);
        rg_text_put(text, k > 0 ? "," : "");
        put_frame(text, &is, is_exact && k == 0);
    }
    rg_text_put(text, "]");
}

void rg_check_print_line(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                         rg_describe_frame *describe)
{
    rg_text_put(text, "{\"finding\":");
    put_string(text, finding->kind);
    rg_text_put(text, finding->is_note ? ",\"note\":true" : ",\"note\":false");
    rg_text_put(text, ",\"time_us\":");
    rg_text_put_decimal(text, rg_now() / 1000);
    rg_text_put(text, ",\"process\":");
    rg_text_put_decimal(text, (uint64_t)getpid());
    if (finding->work != 0) {
        rg_text_put(text, ",\"work\":");
        rg_text_put_decimal(text, finding->work);
    }
    put_member(text, "function", finding->function->name);
    if (finding->argument != NULL)
        put_member(text, "argument", finding->argument);
    put_member(text, "what", finding->what);
    put_member(text, "instead", finding->instead);
    put_frames(text, place, describe, finding->is_stopped);
    rg_text_put(text, ",\"objects\":[");
    for (int k = 0; k < finding->n_objects; k++) {
        rg_text_put(text, k > 0 ? ",{\"what\":" : "{\"what\":");
        put_string(text, finding->object[k].what);
        put_frames(text, &finding->object[k].place, describe, false);
        rg_text_put(text, "}");
    }
    rg_text_put(text, "]}\n");
}

void rg_check_mark_unlogged(struct rg_text *text)
{
    static const char end[] = "}\n";
    text->length -= text->length >= sizeof end - 1 ? sizeof end - 1 : text->length;
    rg_text_put(text, ",\"unlogged\":true}\n");
}
