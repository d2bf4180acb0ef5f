#include "dist/watch.h"

#include "base/clock.h"
#include "base/log.h"
#include "dist/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

/* Signs of life until a rank is named, and how often one is sent at least. */
enum { SIGNS_A_TIMEOUT = 8 };
static const int64_t period_max_ns = NS_PER_S, leaving_period_ns = NS_PER_S / 1000;
/* What the launcher gets to end the other ranks; then this one ends alone. */
enum { ABORT_PATIENCE_S = 5 };

static int64_t name_ns(const struct watch *w)
{
    return (int64_t)(w->patience.name_s * 1e9);
}

static int64_t period_ns(const struct watch *w, enum watch_phase phase)
{
    int64_t ns = name_ns(w) / SIGNS_A_TIMEOUT;
    if (phase == WATCH_PHASE_LEAVING)
        return leaving_period_ns; /* nobody should wait for a goodbye */
    return ns < period_max_ns ? ns : period_max_ns;
}

/* When the job ends, for the end of a message. */
struct remaining {
    char text[96];
};

static struct remaining remaining(const struct watch *w)
{
    struct remaining r;
    double left_s = w->patience.end_s - (double)w->silent_ns / 1e9;
    if (w->patience.end_s > 0)
        snprintf(r.text, sizeof r.text, "the job ends in %.0f s (rank_give_up)",
                 left_s > 0 ? left_s : 0);
    else
        snprintf(r.text, sizeof r.text, "the job waits on (rank_give_up is 0)");
    return r;
}

static void name_rank(const struct watch *w)
{
    const struct heartbeat *h = &w->heartbeat;
    log_urgent("gait: rank %d (process %d on %s) has been silent for %.0f s: %s. The "
               "other ranks wait for it; %s",
               h->watched, h->there.pid, h->there.host, (double)w->silent_ns / 1e9,
               process_why_silent(heartbeat_local_pid(h)).text, remaining(w).text);
}

/* No sign of life can be exchanged: all that is known is that it takes too long, and what
 * this host knows. */
static void name_wait(const struct watch *w, const char *what)
{
    double silent_s = (double)w->silent_ns / 1e9;
    int pid = process_stopped_sibling();
    if (pid)
        log_urgent("gait: MPI has been %s for %.0f s and process %d is silent: %s. The "
                   "other ranks wait for it; %s",
                   what, silent_s, pid, process_why_silent(pid).text, remaining(w).text);
    else
        log_urgent("gait: MPI has been %s for %.0f s: a rank is silent or cannot be "
                   "reached. Look whether all processes run; %s",
                   what, silent_s, remaining(w).text);
}

static void name_silent(const struct watch *w)
{
    if (w->seen == WATCH_PHASE_STARTING || w->seen == WATCH_PHASE_FINISHING)
        name_wait(w, w->seen == WATCH_PHASE_STARTING ? "starting" : "ending");
    else
        name_rank(w);
}

static bool may_abort(const struct watch *w)
{
    return w->seen == WATCH_PHASE_RUNNING || w->seen == WATCH_PHASE_LEAVING;
}

/* Where MPI cannot be called, ranks that can go first: one end of the job is enough, and
 * launchers do not like several at once. */
static bool patience_is_over(const struct watch *w)
{
    double end_s = w->patience.end_s + (may_abort(w) ? 0 : ABORT_PATIENCE_S);
    return w->patience.end_s > 0 && (double)w->silent_ns >= end_s * 1e9;
}

/* The main thread is inside of MPI and cannot be asked to leave. */
static _Noreturn void end_job(const struct watch *w)
{
    log_urgent("gait: the job ends after %.0f s of silence (rank_give_up). Checkpoints "
               "stay; the same command goes on from the last one",
               (double)w->silent_ns / 1e9);
    if (may_abort(w)) {
        alarm(ABORT_PATIENCE_S); /* a launcher that was stopped too never answers */
        MPI_Abort(MPI_COMM_WORLD, STATUS_ENVIRONMENT);
    }
    _exit(STATUS_ENVIRONMENT);
}

static void check_launcher(const struct watch *w)
{
    if (getppid() == w->launcher)
        return;
    log_urgent("gait: the launcher (process %d) is gone: this rank ends. Checkpoints "
               "stay; the same command goes on from the last one",
               (int)w->launcher);
    _exit(STATUS_ENVIRONMENT);
}

static void sign_of_life(struct watch *w, enum watch_phase phase)
{
    if (w->named && phase == w->seen)
        log_urgent("gait: rank %d answers again after %.0f s, the job goes on",
                   w->heartbeat.watched, (double)w->silent_ns / 1e9);
    else if (w->named)
        log_urgent("gait: the job goes on after %.0f s", (double)w->silent_ns / 1e9);
    w->named = false;
    w->silent_ns = 0;
}

/* Silence is counted while this process is awake: one that was itself stopped does not
 * accuse the others when it comes back. */
static void count_silence(struct watch *w)
{
    int64_t now_ns = clock_now_ns(), passed_ns = now_ns - w->looked_ns;
    int64_t most_ns = name_ns(w) / 4;
    w->silent_ns += passed_ns < most_ns ? passed_ns : most_ns;
    w->looked_ns = now_ns;
}

/* Ranks come to a new phase together, so that is a sign of life too. */
static bool heard_of_others(struct watch *w, enum watch_phase phase)
{
    bool heard = phase != w->seen;
    if (phase == WATCH_PHASE_STARTING || phase == WATCH_PHASE_FINISHING)
        return heard;
    if (!w->has_others)
        return true;
    return heartbeat_tick(&w->heartbeat, phase == WATCH_PHASE_LEAVING) || heard;
}

static void look(struct watch *w, enum watch_phase phase)
{
    if (!w->alone)
        check_launcher(w);
    count_silence(w);
    if (heard_of_others(w, phase))
        sign_of_life(w, phase);
    w->seen = phase;
    if (!w->named && w->silent_ns >= name_ns(w)) {
        name_silent(w);
        w->named = true;
    }
    if (patience_is_over(w))
        end_job(w);
}

/* Until the next look is due or the phase is another. */
static void wait_for_change(struct watch *w, enum watch_phase phase)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + period_ns(w, phase);
    until.tv_sec += (time_t)(ns / NS_PER_S);
    until.tv_nsec = (long)(ns % NS_PER_S);
    while (w->phase == phase && !pthread_cond_timedwait(&w->changed, &w->lock, &until))
        ;
}

static void set_phase(struct watch *w, enum watch_phase phase)
{
    w->phase = phase;
    pthread_cond_broadcast(&w->changed);
}

static void *watch_run(void *arg)
{
    struct watch *w = arg;
    pthread_mutex_lock(&w->lock);
    for (enum watch_phase phase; (phase = w->phase) != WATCH_PHASE_OVER;) {
        pthread_mutex_unlock(&w->lock);
        look(w, phase);
        bool left = phase == WATCH_PHASE_LEAVING &&
                    (!w->has_others || heartbeat_over(&w->heartbeat));
        pthread_mutex_lock(&w->lock);
        if (left && w->phase == phase)
            set_phase(w, WATCH_PHASE_FINISHING);
        wait_for_change(w, phase);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum status watch_open(struct watch *w, struct comm_patience patience, struct err *err)
{
    pthread_condattr_t monotonic;
    sigset_t all, old;
    *w = (struct watch){.patience = patience,
                        .launcher = getppid(),
                        .phase = WATCH_PHASE_STARTING,
                        .looked_ns = clock_now_ns()};
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all); /* signals stay with the calling thread */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&w->thread, NULL, watch_run, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failed)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot start a thread that watches the other ranks: %s; raise the "
                   "limit of processes (ulimit -u), or set rank_timeout: 0",
                   strerror(failed));
}

int watch_begin(struct watch *w, MPI_Comm world)
{
    int size = 1, code = MPI_SUCCESS;
    if (world != MPI_COMM_NULL)
        MPI_Comm_size(world, &size);
    if (size > 1)
        code = heartbeat_open(&w->heartbeat, world);
    pthread_mutex_lock(&w->lock);
    w->has_others = size > 1 && code == MPI_SUCCESS;
    w->alone = world != MPI_COMM_NULL && size == 1;
    set_phase(w, WATCH_PHASE_RUNNING);
    pthread_mutex_unlock(&w->lock);
    return code;
}

void watch_leave(struct watch *w)
{
    pthread_mutex_lock(&w->lock);
    set_phase(w, WATCH_PHASE_LEAVING);
    while (w->phase == WATCH_PHASE_LEAVING)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    if (w->has_others)
        heartbeat_close(&w->heartbeat);
}

void watch_close(struct watch *w)
{
    pthread_mutex_lock(&w->lock);
    set_phase(w, WATCH_PHASE_OVER);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
}
