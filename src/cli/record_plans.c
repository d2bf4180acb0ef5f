#include "cli/record_plans.h"

#include "base/file.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "flow/flow_plan.h"
#include "record/flow_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is read beside a job that needs its memory. */
static const off_t FLOW_BYTES_MOST = 128 << 20;

struct record_plans {
    char *folder, *pipe_path;
    int fd; /* for both: so its end never comes */
    pthread_t thread;
};

/* --- one plan --- */

static void list_calls(const struct flow_graph *g, struct strbuf *text)
{
    struct flow_classes classes = flow_classes_of(g);
    int32_t *plan = flow_plan_of(g, classes.of);
    for (size_t op = 0; op < g->n; op++)
        if (plan[op] != FLOW_RUNS)
            strbuf_printf(text, "%zu %d %.0f %s\n", op, plan[op], flow_made_bytes(g, op),
                          flow_class_name[classes.of[op]]);
    mem_free(plan);
    flow_classes_release(&classes);
}

/* Nothing where the data flow cannot be read: `gait record` says so at its end. */
static void plan_of(const char *flow_path, struct strbuf *text)
{
    struct err err = ERR_INIT;
    struct run run;
    struct flow_graph g;
    struct stat s;
    if (stat(flow_path, &s) || s.st_size > FLOW_BYTES_MOST)
        return;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){0});
    if (!flow_file_add(&run, flow_path, &err) && flow_graph_init(&g, &run, 0)) {
        list_calls(&g, text);
        flow_graph_release(&g);
    }
    run_release(&run);
}

static void answer(const struct record_plans *p, long pid)
{
    struct err err = ERR_INIT;
    struct strbuf text, path;
    strbuf_init(&text);
    strbuf_init(&path);
    strbuf_printf(&path, "%s/flow-%ld.bin", p->folder, pid);
    plan_of(path.s, &text);
    strbuf_clear(&path);
    strbuf_printf(&path, "%s/plan-%ld.txt", p->folder, pid);
    file_write(path.s, text.s, text.len, &err); /* else the hook soon waits no longer */
    strbuf_release(&path);
    strbuf_release(&text);
}

/* Where there is no memory for it, there is no plan, and the recording goes on. */
static void answer_apart(const struct record_plans *p, long pid)
{
    pid_t child = fork();
    if (child == 0) {
        leftover_forget(p->folder); /* it is not this process' own */
        answer(p, pid);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* --- the thread --- */

/* A message is a number in so many bytes, which come whole; 0 is the end. */
enum { MESSAGE_BYTES = 16 };

static void *answer_all(void *arg)
{
    const struct record_plans *p = arg;
    char message[MESSAGE_BYTES + 1] = "";
    for (;;) {
        ssize_t n = read(p->fd, message, MESSAGE_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        long pid = n == MESSAGE_BYTES ? strtol(message, NULL, 10) : 0;
        if (pid <= 0)
            return NULL;
        answer_apart(p, pid);
    }
}

/* Signals are for the thread that passes them on to the job. */
static int start_without_signals(struct record_plans *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&p->thread, NULL, answer_all, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static void plans_release(struct record_plans *p)
{
    if (p->fd >= 0)
        close(p->fd);
    unlink(p->pipe_path);
    mem_free(p->folder);
    mem_free(p->pipe_path);
    mem_free(p);
}

struct record_plans *record_plans_start(const char *folder)
{
    struct record_plans *p = mem_zalloc(1, sizeof *p);
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/plans", folder);
    p->folder = mem_strdup(folder);
    p->pipe_path = mem_strdup(path.s);
    p->fd = mkfifo(path.s, 0600) ? -1 : open(path.s, O_RDWR | O_CLOEXEC);
    strbuf_release(&path);
    if (p->fd >= 0 && !start_without_signals(p))
        return p;
    plans_release(p);
    return NULL;
}

void record_plans_stop(struct record_plans *p)
{
    if (!p)
        return;
    char end[MESSAGE_BYTES] = "0";
    while (write(p->fd, end, sizeof end) < 0 && errno == EINTR)
        ;
    pthread_join(p->thread, NULL);
    plans_release(p);
}
