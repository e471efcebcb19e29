/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when the host touches isolated memory: a finding, and then what would have happened without it. */
#ifndef RG_ISOLATE_FAULT_H
#define RG_ISOLATE_FAULT_H

#include "acl/tell/place.h"

/* Makes our handler the one that is asked first, in front of the one that is there now. */
void rg_fault_watch(void);

/* Looks up the names in a place that may have to be told, and cuts off what is not of the program. */
void rg_fault_know(struct rg_place *place);

/* Keeps all other threads out, while the process forks. */
void rg_fault_lock(void);
void rg_fault_unlock(void);

#endif
