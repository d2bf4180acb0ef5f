#include "base/quiet_thread.h"

#include <signal.h>
#include <string.h>

/* What the resolver of names takes, several times over. */
enum { STACK_BYTES = 512 << 10 };

enum status quiet_thread_start(pthread_t *out, const char *name, void *(*run)(void *),
                               void *arg, struct err *err)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(out, &attributes, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!failed) {
        pthread_setname_np(*out, name);
        return STATUS_OK;
    }
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot start a thread: %s; raise the limits of processes (ulimit -u) "
                   "and of address space (ulimit -v)",
                   strerror(failed));
}
