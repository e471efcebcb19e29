/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/store/isolate_fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "acl/sys/fork.h"
#include "acl/sys/text.h"
#include "acl/tell/finding.h"
#include "acl/tell/place_maps.h"
#include "acl/tell/setting.h"

static const char kind[] = "host-access";

static const struct rg_watched *watched; /* set before there is a handler */

static void on_fault(int signal, siginfo_t *info, void *context);

/* ---- Names that are known beforehand ---------------------------------------------------------- */

enum { N_NAMES = 1024, TRIES = 8 };

static struct {
    _Atomic(const void *) frame; /* set last */
    char text[RG_PLACE_TEXT];
} names[N_NAMES];

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_FAULT}; /* of those who change names or handlers */

/* Where the frame is, or may be put; N_NAMES for nowhere. */
static int find_name(const void *frame)
{
    for (int k = 0; k < TRIES; k++) {
        const int at = (int)(((uintptr_t)frame / 3 + (uintptr_t)k) % N_NAMES);
        const void *there = atomic_load(&names[at].frame);
        if (there == NULL || there == frame)
            return at;
    }
    return N_NAMES;
}

/* The loader is asked without the lock: a thread that loads a library may be allocating memory in it. */
static void know_frame(const void *frame)
{
    struct rg_frame is;
    int at = find_name(frame);
    if (at == N_NAMES || atomic_load(&names[at].frame) == frame)
        return;
    rg_place_describe(frame, &is);
    rg_lock(&lock);
    at = find_name(frame);
    if (at < N_NAMES && atomic_load(&names[at].frame) == NULL) {
        memcpy(names[at].text, is.text, sizeof(is.text));
        atomic_store(&names[at].frame, frame);
    }
    rg_unlock(&lock);
}

void rg_fault_know(struct rg_place *place)
{
    rg_place_cut(place);
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL; k++)
        know_frame(place->frame[k]);
}

static void describe_frame(const void *frame, struct rg_frame *is)
{
    const int at = find_name(frame);
    rg_maps_describe(frame, is);
    if (at < N_NAMES && atomic_load(&names[at].frame) == frame)
        memcpy(is->text, names[at].text, sizeof(is->text));
}

/* ---- What has happened ------------------------------------------------------------------------ */

enum access { TOUCHES, READS, WRITES, RUNS };

/* Where a thread was stopped. */
struct stop {
    const char *pc, *stack, *link; /* link: the register with the return address, on machines that have one */
    enum access access;
};

static struct stop read_context(const ucontext_t *context)
{
#if defined(__x86_64__)
    const greg_t *registers = context->uc_mcontext.gregs;
    const greg_t error = registers[REG_ERR]; /* of the page fault: 2 for a write, 16 for a fetch of an instruction */
    return (struct stop){(const char *)registers[REG_RIP], (const char *)registers[REG_RSP], NULL,
                         (error & 16) != 0  ? RUNS
                         : (error & 2) != 0 ? WRITES
                                            : READS};
#elif defined(__aarch64__)
    const mcontext_t *machine = &context->uc_mcontext;
    return (struct stop){(const char *)machine->pc, (const char *)machine->sp, (const char *)machine->regs[30],
                         TOUCHES};
#else
    (void)context;
    return (struct stop){NULL, NULL, NULL, TOUCHES};
#endif
}

/* The code of the client that has probably called the library function that was stopped: the first return address that
 * leads there. Functions that copy memory keep no frames to go by. */
static const void *guess_caller(const struct stop *stop)
{
    enum { MOST_WORDS = 256 };
    if (rg_maps_is_client(stop->link))
        return stop->link;
    const size_t n_words = rg_maps_stack_left(stop->stack) / sizeof(void *);
    for (size_t k = 0; k < n_words && k < MOST_WORDS; k++) {
        const void *word = ((const void *const *)stop->stack)[k];
        if (rg_maps_is_client(word))
            return word;
    }
    return NULL;
}

static struct rg_place place_of(const struct stop *stop)
{
    struct rg_place place = {{stop->pc}};
    if (rg_maps_is_servant(stop->pc))
        place.frame[1] = guess_caller(stop);
    return place;
}

/* ---- The finding ------------------------------------------------------------------------------ */

static void put_bytes(struct rg_text *text, size_t n)
{
    rg_text_put_decimal(text, n);
    rg_text_put(text, n == 1 ? " byte" : " bytes");
}

static void describe(struct rg_text *what, const struct rg_sight *sight, enum access access)
{
    static const char *const does[] = {" touches ", " reads ", " writes ", " jumps to "};
    rg_text_put(what, sight->is_ours ? "the library" : "the host");
    rg_text_put(what, does[access]);
    rg_text_put_hex(what, (uintptr_t)sight->address);
    rg_text_put(what, ", ");
    if (sight->where == RG_SIGHT_NOWHERE) {
        rg_text_put(what, "an address of devices at which there is no memory");
        return;
    }
    if (sight->where == RG_SIGHT_WITHIN) {
        rg_text_put(what, "byte ");
        rg_text_put_decimal(what, sight->distance);
    } else {
        put_bytes(what, sight->distance);
        rg_text_put(what, sight->where == RG_SIGHT_BEFORE ? " before the first" : " behind the last");
    }
    rg_text_put(what, " of ");
    put_bytes(what, sight->size);
    rg_text_put(what, " of device memory at ");
    rg_text_put_hex(what, (uintptr_t)sight->block);
    rg_text_put(what, sight->is_freed ? ", which has been freed" : "");
}

/* What allocators keep before the memory that they give out. */
enum { ALLOCATOR_HEADER = 16 };

static const char *advise(const struct rg_sight *sight, enum access access)
{
    if (sight->is_ours)
        return "keep the sizes of copies and tensors within what is allocated, and free it after its last use";
    if (sight->is_freed)
        return "free memory after its last use; copy the data that the host reads before that, with aclrtMemcpy and "
               "ACL_MEMCPY_DEVICE_TO_HOST";
    if (sight->where == RG_SIGHT_BEFORE && sight->distance <= ALLOCATOR_HEADER)
        return "give device memory back with aclrtFree, if this was free or delete; the host cannot touch it";
    if (access == RUNS)
        return "call functions of the program: memory of a device holds data";
    if (access == WRITES)
        return "write to memory of the host, and copy that with aclrtMemcpy and ACL_MEMCPY_HOST_TO_DEVICE";
    if (access == READS)
        return "copy the memory to the host with aclrtMemcpy and ACL_MEMCPY_DEVICE_TO_HOST, and read the copy";
    return "copy with aclrtMemcpy: ACL_MEMCPY_DEVICE_TO_HOST before reading, ACL_MEMCPY_HOST_TO_DEVICE after writing";
}

static struct rg_text begin_object(struct rg_finding *finding, const struct rg_origin *origin)
{
    struct rg_check_object *object = &finding->object[finding->n_objects++];
    object->place = origin->place;
    return (struct rg_text){object->what, sizeof(object->what), 0};
}

static void add_objects(struct rg_finding *finding, const struct rg_sight *sight)
{
    finding->n_objects = 0;
    if (sight->where == RG_SIGHT_NOWHERE)
        return;
    struct rg_text what = begin_object(finding, &sight->allocated);
    put_bytes(&what, sight->size);
    rg_text_put(&what, " of device memory at ");
    rg_text_put_hex(&what, (uintptr_t)sight->block);
    rg_text_put(&what, ", allocated by ");
    rg_text_put(&what, sight->allocated.function->name);
    if (!sight->is_freed || sight->freed.function == NULL)
        return;
    what = begin_object(finding, &sight->freed);
    rg_text_put(&what, "the same, freed by ");
    rg_text_put(&what, sight->freed.function->name);
}

/* Memory that is alive, and the host's to spoil, is there. */
static bool may_go_on(const struct rg_sight *sight, enum access access)
{
    return !rg_check_setting()->stops_host && !sight->is_ours && sight->where == RG_SIGHT_WITHIN && !sight->is_freed &&
           access != RUNS;
}

/* Signal handlers may have a small stack: what is large is static, for one thread at a time. */
static void tell(const struct rg_sight *sight, const ucontext_t *context)
{
    static const struct rg_function ours = {.name = "one of the library, or its work on a stream"};
    static const struct rg_function none = {.name = "none: the program itself"};
    static struct rg_finding finding;
    const struct stop stop = read_context(context);
    rg_maps_read(stop.stack);
    const struct rg_place place = place_of(&stop);
    finding.kind = kind;
    finding.is_stopped = true;
    finding.function = sight->is_ours ? &ours : &none;
    struct rg_text what = {finding.what, sizeof(finding.what), 0},
                   instead = {finding.instead, sizeof(finding.instead), 0};
    describe(&what, sight, stop.access);
    rg_text_put(&instead, advise(sight, stop.access));
    add_objects(&finding, sight);
    finding.is_refused = !may_go_on(sight, stop.access);
    rg_check_tell_fault(&finding, &place, describe_frame);
}

/* ---- Handlers --------------------------------------------------------------------------------- */

enum { MOST_HANDLERS = 16 };

/* Those that were there before ours, the latest last. */
static struct sigaction before[MOST_HANDLERS];
static atomic_int n_before;

/* The call of another handler that a thread is in, to know when that calls ours. Not thread-local: the room for what
 * signal handlers may use of that kind is small, and is that of all libraries together. */
struct calling {
    atomic_uintptr_t thread;
    const void *context, *frame;
    int handler;
    const void *left_pc, *left_address; /* what was stopped last, if the handler returned and left it as it was */
};

/* The entry of this thread, which it keeps; for threads that come too late one that says nothing. */
static struct calling *find_calling(struct calling *spare)
{
    enum { MOST_THREADS = 64 };
    static struct calling entries[MOST_THREADS];
    const uintptr_t thread = (uintptr_t)pthread_self();
    for (int k = 0; k < MOST_THREADS; k++) {
        uintptr_t owner = atomic_load(&entries[k].thread);
        if (owner == 0 && atomic_compare_exchange_strong(&entries[k].thread, &owner, thread))
            owner = thread;
        if (owner == thread)
            return &entries[k];
    }
    return spare;
}

/* As if there were no handler: the instruction is done again, and ends the process where it stands. */
static void do_default(const siginfo_t *info)
{
    signal(SIGSEGV, SIG_DFL);
    if (info->si_code <= 0) /* sent by somebody: it will not come again of itself */
        raise(SIGSEGV);
}

static void hand_on(int handler, siginfo_t *info, void *context)
{
    const struct sigaction *action = handler >= 0 ? &before[handler] : NULL;
    const bool is_sent = info->si_code <= 0;
    if (action == NULL || (action->sa_flags & SA_SIGINFO) != 0) {
        if (action != NULL)
            action->sa_sigaction(SIGSEGV, info, context);
        else
            do_default(info);
        return;
    }
    if (action->sa_handler == SIG_IGN && is_sent)
        return;
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
        do_default(info);
    else
        action->sa_handler(SIGSEGV);
}

/* One thread tells; others that come meanwhile wait, so that the process does not end before. */
static void tell_alone(const struct rg_sight *sight, const ucontext_t *context)
{
    static atomic_flag is_busy = ATOMIC_FLAG_INIT;
    static const struct timespec moment = {0, 1000000};
    int patience = 1000;
    while (atomic_flag_test_and_set(&is_busy)) {
        if (--patience == 0)
            return;
        nanosleep(&moment, NULL);
    }
    tell(sight, context);
    atomic_flag_clear(&is_busy);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    const int saved_errno = errno;
    struct calling spare = {0}, *calling = find_calling(&spare);
    const void *const outer_context = calling->context, *const outer_frame = calling->frame;
    const int outer_handler = calling->handler;
    const void *frame = __builtin_frame_address(0);
    /* A handler that was installed over ours and hands on to it is one that ours hands on to: it has told already. */
    const bool is_nested = outer_context == context && (uintptr_t)frame < (uintptr_t)outer_frame;
    struct rg_sight sight;
    const bool is_told = !is_nested && info->si_code > 0 && watched->see(info->si_addr, &sight);
    const void *const pc = read_context(context).pc;
    if (is_told && pc != NULL && calling->left_pc == pc && calling->left_address == info->si_addr) {
        do_default(info); /* or the handler would be called for ever */
        return;
    }
    if (is_told)
        tell_alone(&sight, context);
    if (is_told && may_go_on(&sight, read_context(context).access) && watched->show(info->si_addr)) {
        errno = saved_errno;
        return;
    }
    calling->context = context;
    calling->frame = frame;
    calling->handler = (is_nested ? outer_handler : atomic_load(&n_before)) - 1;
    errno = saved_errno;
    hand_on(calling->handler, info, context);
    calling->context = outer_context;
    calling->frame = outer_frame;
    calling->handler = outer_handler;
    calling->left_pc = is_told && read_context(context).pc == pc ? pc : NULL;
    calling->left_address = info->si_addr;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_fault;
}

void rg_fault_watch(const struct rg_watched *memory)
{
    struct sigaction now;
    rg_lock(&lock);
    const int n = atomic_load(&n_before);
    if (sigaction(SIGSEGV, NULL, &now) == 0 && !is_ours(&now) && n < MOST_HANDLERS) {
        if (watched == NULL)
            watched = memory;
        rg_check_prepare_fault(kind);
        before[n] = now;
        atomic_store(&n_before, n + 1);
        struct sigaction action = {.sa_sigaction = on_fault};
        action.sa_mask = now.sa_mask;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & SA_NODEFER);
        sigaction(SIGSEGV, &action, NULL);
    }
    rg_unlock(&lock);
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock};
    rg_fork_watch(&forks);
}
