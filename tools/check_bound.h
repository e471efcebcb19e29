/* How large an error may be. Every bound is derived, none is guessed: see docs/command-line.md, "check". */
#ifndef CHECK_BOUND_H
#define CHECK_BOUND_H

#include "check_data.h"

/* |result - exact| <= (terms + 4) * u * size + shift + half an ulp of the stored type, where u is half an ulp of
 * 1 in the arithmetic, `size` the sum of |weight * value| and `shift` what weights contribute that are rounded
 * otherwise in float32 than in float64. */
struct bound {
    double terms, shift;
    double *size; /* for each element; NULL: flat_size for all */
    double flat_size;
};

/* The bound of what stands in check->result.at[place]. Returns an exit status; the caller frees bound->size. */
int check_bound(const struct check *check, enum place place, struct bound *bound);

/* The bound for element k, whose exact value is about `exact`. */
double bound_of(const struct bound *bound, regrad_dtype dtype, int64_t k, double exact);

#endif
