/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/aclnn/semantic.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/object/type.h"
#include "acl/tell/finding.h"
#include "acl/tell/setting.h"
#include "base/format.h"

/* ---- Once for each place ---------------------------------------------------------------------- */

enum kind { SCALE_INVERTED, SCALE_CONTRADICTS, SCALE_IGNORED, OUTPUT_SIZE, OUTPUT_KEPT, CHIP_TYPE, CHIP_FORMAT };

static const char *const kind_names[] = {
    [SCALE_INVERTED] = "scale-inverted", [SCALE_CONTRADICTS] = "scale-contradicts",
    [SCALE_IGNORED] = "scale-ignored",   [OUTPUT_SIZE] = "output-size",
    [OUTPUT_KEPT] = "output-kept",       [CHIP_TYPE] = "chip-type",
    [CHIP_FORMAT] = "chip-format",
};

/* What has been told. Two that meet here are told once together, and a third in its turn: rg_check_tell counts too. */
enum { N_TOLD = 256 };
static _Atomic uintptr_t told[N_TOLD];

/* Has it not been told? A loop that does the same again and again must cost nothing. */
static bool is_new(enum kind kind, const void *place)
{
    const uintptr_t key = (uintptr_t)place * 8 + kind + 1;
    const size_t at = (key * 0x9E3779B97F4A7C15U) >> 56;
    return atomic_exchange_explicit(&told[at], key, memory_order_relaxed) != key;
}

struct note {
    const struct rg_function *function;
    const void *place;
    enum kind kind;
};

static void tell(const struct note *note, const char *argument, const char *what, const char *instead)
{
    struct rg_finding finding = {
        .kind = kind_names[note->kind], .is_note = true, .function = note->function, .argument = argument};
    snprintf(finding.what, sizeof(finding.what), "%s", what);
    snprintf(finding.instead, sizeof(finding.instead), "%s", instead);
    rg_check_tell(&finding);
}

/* ---- Chips ------------------------------------------------------------------------------------ */

/* The chip that the process believes to have. */
static enum rg_chip own_chip(void)
{
    static const struct {
        const char *name;
        enum rg_chip chip;
    } chips[] = {{"Ascend950", RG_CHIP_950},    {"Ascend910_95", RG_CHIP_950},  {"Ascend310P", RG_CHIP_310P},
                 {"Ascend910B", RG_CHIP_A2_A3}, {"Ascend910_9", RG_CHIP_A2_A3}, {"Ascend910", RG_CHIP_910}};
    const char *name = aclrtGetSocName();
    for (size_t k = 0; k < sizeof(chips) / sizeof(chips[0]); k++)
        if (strncmp(name, chips[k].name, strlen(chips[k].name)) == 0)
            return chips[k].chip;
    return RG_CHIP_A2_A3;
}

/* With RG_CHECK_WARN what the own chip would not do is told, from RG_CHECK_ALL on what another one would not. */
static bool concerns(unsigned chips)
{
    return rg_check_level() >= RG_CHECK_ALL || (chips & own_chip()) != 0;
}

/* Types that the operators take here, and some chips do not. */
static const struct {
    enum rg_semantic_operator which;
    aclDataType type;
    unsigned lacking;
    const char *where, *instead;
} types[] = {
    {RG_SEMANTIC_BILINEAR_GRADIENT, ACL_BF16, RG_CHIP_A2_A3 | RG_CHIP_910 | RG_CHIP_310P,
     "Atlas A2 and A3, 910 and 310P refuse it with 161002; 950 takes it", "use ACL_FLOAT or ACL_FLOAT16 there"},
    {RG_SEMANTIC_BILINEAR_GRADIENT_V2, ACL_BF16, RG_CHIP_910 | RG_CHIP_310P,
     "910 and 310P refuse it with 161002; Atlas A2 and A3 and 950 take it", "use ACL_FLOAT or ACL_FLOAT16 there"},
    {RG_SEMANTIC_GRID_GRADIENT, ACL_BF16, RG_CHIP_910 | RG_CHIP_310P,
     "910 and 310P refuse it with 161002; Atlas A2 and A3 and 950 take it", "use ACL_FLOAT or ACL_FLOAT16 there"},
    {RG_SEMANTIC_GRID_GRADIENT, ACL_DOUBLE, RG_CHIP_910,
     "the documentation excludes it on 910; the other chips take it", "use ACL_FLOAT there"},
    {RG_SEMANTIC_VOLUME_SAMPLING, ACL_BF16, RG_CHIP_910, "910 refuses it with 161002; Atlas A2 and A3 and 950 take it",
     "use ACL_FLOAT or ACL_FLOAT16 there"},
};

static void look_at_type(const struct rg_semantic *semantic, struct note *note)
{
    note->kind = CHIP_TYPE;
    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        if (types[k].which != semantic->which || types[k].type != semantic->type || semantic->is_copy ||
            !concerns(types[k].lacking) || !is_new(CHIP_TYPE, note->place))
            continue;
        char what[RG_CHECK_TEXT];
        rg_format(what, sizeof(what), "the tensors are of type %s, which not every chip supports: %s",
                  rg_type_name(semantic->type), types[k].where);
        tell(note, NULL, what, types[k].instead);
    }
}

/* Of operators that are in no table here. */
static void look_at_lacking(const struct rg_semantic *semantic, struct note *note)
{
    static const char *const names[] = {"Atlas A2 and A3", "910", "310P", "950"};
    char chips[RG_CHECK_TEXT] = "", what[RG_CHECK_TEXT];
    note->kind = CHIP_TYPE;
    if (semantic->lacking == 0 || !concerns(semantic->lacking) || !is_new(CHIP_TYPE, note->place))
        return;
    for (unsigned k = 0, length = 0; k < sizeof(names) / sizeof(names[0]); k++)
        if ((semantic->lacking >> k & 1) != 0)
            length += (unsigned)snprintf(chips + length, sizeof(chips) - length, length > 0 ? ", %s" : "%s", names[k]);
    rg_format(what, sizeof(what),
              "the tensors are of type %s, which not every chip supports; such chips refuse it with 161002: %s",
              rg_type_name(semantic->type), chips);
    tell(note, NULL, what, "use ACL_FLOAT16 there");
}

static bool is_bilinear_gradient(const struct rg_semantic *semantic)
{
    return semantic->which == RG_SEMANTIC_BILINEAR_GRADIENT || semantic->which == RG_SEMANTIC_BILINEAR_GRADIENT_V2;
}

/* Clients that pass ND everywhere need it, so it is for those to know who ask for more. */
static void look_at_format(const struct rg_semantic *semantic, struct note *note)
{
    note->kind = CHIP_FORMAT;
    if (!is_bilinear_gradient(semantic) || !semantic->has_nd_format || rg_check_level() < RG_CHECK_ALL ||
        !is_new(CHIP_FORMAT, note->place))
        return;
    tell(note, NULL,
         "a tensor is of format ACL_FORMAT_ND, which is read as NCHW here and refused with 161002 by devices",
         "create the tensors with ACL_FORMAT_NCHW");
}

/* ---- Scales ----------------------------------------------------------------------------------- */

/* Is out what a forward with this scale makes of in? Scales may be floats, or quotients of the sizes. */
static bool fits(double scale, int64_t in, int64_t out)
{
    const double product = scale * (double)in;
    return floor(product) == (double)out || fabs(product - (double)out) <= 1e-6 * (double)out;
}

/* Is it wrong? Whoever ignores it then is no second mistake. */
static bool look_at_scale(const struct rg_semantic_axis *axis, struct note *note)
{
    if (!(axis->scale > 0) || axis->in <= 0 || axis->out <= 0 || fits(axis->scale, axis->in, axis->out))
        return false;
    note->kind = fits(axis->scale, axis->out, axis->in) ? SCALE_INVERTED : SCALE_CONTRADICTS;
    if (!is_new(note->kind, note->place))
        return true;
    char what[RG_CHECK_TEXT], instead[RG_CHECK_TEXT];
    if (note->kind == SCALE_INVERTED)
        rg_format(what, sizeof(what),
                  "%s is %g, the forward's input over its output (%" PRId64 " / %" PRId64
                  "), not the output over the input",
                  axis->scale_name, axis->scale, axis->in, axis->out);
    else
        rg_format(what, sizeof(what),
                  "%s is %g, but the forward made %" PRId64 " of %" PRId64 ", and not floor(%" PRId64 " * %g) = %.0f",
                  axis->scale_name, axis->scale, axis->out, axis->in, axis->in, axis->scale,
                  floor(axis->scale * (double)axis->in));
    rg_format(instead, sizeof(instead), "pass the scale of the forward, which was about %.17g, or 0 to use the sizes",
              (double)axis->out / (double)axis->in);
    tell(note, axis->scale_name, what, instead);
    return true;
}

/* The chips that ignore the scales of a bilinear gradient. The second one came to Atlas A2 and A3 with them. */
static unsigned ignoring_chips(const struct rg_semantic *semantic)
{
    const unsigned older = RG_CHIP_910 | RG_CHIP_310P, all = older | RG_CHIP_A2_A3 | RG_CHIP_950;
    if (semantic->aligns_corners)
        return all;
    return semantic->which == RG_SEMANTIC_BILINEAR_GRADIENT_V2 ? older : older | RG_CHIP_A2_A3;
}

/* A device that ignores scales takes the quotient of the sizes. Only another value makes a difference. */
static void look_at_ignored(const struct rg_semantic *semantic, const struct rg_semantic_axis *axis, struct note *note)
{
    const bool matters = axis->scale > 0 && axis->in != axis->out &&
                         fabs(1 / axis->scale - (double)axis->in / (double)axis->out) > 1e-6 / axis->scale;
    const bool is_second = semantic->which == RG_SEMANTIC_BILINEAR_GRADIENT_V2;
    note->kind = SCALE_IGNORED;
    if (!is_bilinear_gradient(semantic) || !matters || !concerns(ignoring_chips(semantic)) ||
        !is_new(SCALE_IGNORED, note->place))
        return;
    char what[RG_CHECK_TEXT];
    if (semantic->aligns_corners)
        rg_format(what, sizeof(what), "%s is %g, which has no effect, because alignCorners is true", axis->scale_name,
                  axis->scale);
    else
        rg_format(what, sizeof(what),
                  "%s is %g, which is used here and on %s ignore it and use %" PRId64 " / %" PRId64
                  " from the sizes, another scale",
                  axis->scale_name, axis->scale,
                  is_second ? "950, Atlas A2 and A3; 910 and 310P" : "950; Atlas A2 and A3, 910 and 310P", axis->out,
                  axis->in);
    tell(note, axis->scale_name, what, "pass 0 to use the sizes everywhere, or sizes that are multiples of the scale");
}

static void look_at_output_size(const struct rg_semantic_axis *axis, struct note *note)
{
    note->kind = OUTPUT_SIZE;
    if (axis->output_size == axis->out || !is_new(OUTPUT_SIZE, note->place))
        return;
    char what[RG_CHECK_TEXT];
    rg_format(what, sizeof(what),
              "outputSize says %" PRId64 ", but the gradient of the output has %" PRId64
              "; outputSize is ignored, because %s is not 0",
              axis->output_size, axis->out, axis->scale_name);
    tell(note, "outputSize", what, "pass the size of the forward's output, which is the size of its gradient");
}

/* ---- Results ---------------------------------------------------------------------------------- */

static void look_at_results(const struct rg_semantic *semantic, struct note *note)
{
    note->kind = OUTPUT_KEPT;
    if (semantic->unwritten == NULL || !is_new(OUTPUT_KEPT, note->place))
        return;
    tell(note, semantic->unwritten, semantic->why, "fill the result before the call, or do not read it");
}

void rg_semantic_tell(const struct rg_semantic *semantic, const struct rg_function *function, const void *place)
{
    struct note note = {.function = function, .place = place};
    for (int k = 0; k < semantic->n_axes && !semantic->is_copy; k++) {
        if (semantic->aligns_corners || !look_at_scale(&semantic->axes[k], &note))
            look_at_ignored(semantic, &semantic->axes[k], &note);
        look_at_output_size(&semantic->axes[k], &note);
    }
    look_at_type(semantic, &note);
    look_at_lacking(semantic, &note);
    look_at_format(semantic, &note);
    look_at_results(semantic, &note);
}
