/* Statuses that the caller ignored: what a call was to make is missed in a later one. */
#ifndef RG_CHECK_IGNORED_H
#define RG_CHECK_IGNORED_H

/* A call of this thread fails with a status and a sentence, "function: ...". Tells if that is because one before has
 * failed, and remembers it. Without locks of the runtime. */
void rg_ignored_fail(int status, const char *sentence);

/* The thread has asked why. */
void rg_ignored_ask(void);

#endif
