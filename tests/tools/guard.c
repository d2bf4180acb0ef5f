#include "guard.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static char guarded[256];

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GUARD_SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define GUARD_SANITIZED 1
#endif

static void say(const char *s)
{
    if (write(1, s, strlen(s)) < 0)
        _exit(1);
}

static void on_signal(int signal_number)
{
    say(signal_number == SIGALRM || signal_number == SIGPROF ? "\nFAILED (too slow) "
                                                             : "\nFAILED (crashed) ");
    say(guarded);
    say("\n");
    _exit(1);
}

void guard_memory(int mib)
{
#ifdef GUARD_SANITIZED
    (void)mib; /* the sanitizer tells more about a crash than we could */
#else
    struct rlimit limit = {(rlim_t)mib << 20, (rlim_t)mib << 20};
    setrlimit(RLIMIT_AS, &limit);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGBUS, on_signal);
#endif
    signal(SIGALRM, on_signal);
    signal(SIGPROF, on_signal);
}

void guard_begin(const char *name, int seconds)
{
    snprintf(guarded, sizeof guarded, "%s", name);
    /* Of CPU time, so that a busy machine is no fault; asleep for long is one too. */
    struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(20 * (unsigned)seconds);
}

void guard_end(void)
{
    struct itimerval none = {.it_value.tv_sec = 0};
    setitimer(ITIMER_PROF, &none, NULL);
    alarm(0);
}

int guard_peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int)(usage.ru_maxrss >> 10);
}
