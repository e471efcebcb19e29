/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lock a function needs, takes or gives up, and which one guards a variable: clang's -Wthread-safety holds the
 * code to it, other compilers read nothing here. It does not follow pointers to functions: who calls
 * through one, or is called by many, says with rg_lock_assert what it has.
 */
#ifndef RG_GUARD_H
#define RG_GUARD_H

#if defined(__clang__)
#define RG_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define RG_ATTRIBUTE(attribute)
#endif

#define RG_GUARDED_BY(lock) RG_ATTRIBUTE(guarded_by(lock))
#define RG_NEEDS(lock) RG_ATTRIBUTE(requires_capability(lock)) /* may let it go meanwhile */
#define RG_TAKES(lock) RG_ATTRIBUTE(acquire_capability(lock))
#define RG_GIVES_UP(lock) RG_ATTRIBUTE(release_capability(lock))
#define RG_WITHOUT(lock) RG_ATTRIBUTE(locks_excluded(lock)) /* may take it meanwhile */
#define RG_UNCHECKED RG_ATTRIBUTE(no_thread_safety_analysis)

#endif
