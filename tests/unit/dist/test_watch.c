/*
 * Ranks that fall silent. Started plainly, this program runs itself under mpirun, once a
 * case, and looks at what the ranks say and how they end; started by mpirun, it is one of
 * the ranks. Exit code 77 (skipped) where there is no mpirun.
 */
#include "base/strbuf.h"
#include "dist/comm.h"
#include "dist/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, TIMEOUT_S = 4, END_S = 12, SLOW_S = 9 };

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void open_job(struct comm *c, double end_s)
{
    struct err err = ERR_INIT;
    if (comm_open(c, (struct comm_patience){TIMEOUT_S, end_s}, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* Rank 1 stops itself; the others wait for it in a collective. */
static void rank_frozen(void)
{
    struct comm c;
    open_job(&c, END_S);
    if (c.rank == 1)
        raise(SIGSTOP);
    comm_barrier(&c, NULL);
    comm_close(&c);
}

/* As above, before there is MPI. */
static void rank_frozen_early(void)
{
    struct comm c;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank && !strcmp(rank, "1"))
        raise(SIGSTOP);
    open_job(&c, END_S);
    comm_close(&c);
}

/* Rank 1 computes for long, as a large model does, and rank 0 leaves before it. */
static void rank_slow(void)
{
    struct comm c;
    open_job(&c, 0);
    if (c.rank == 1)
        sleep(SLOW_S);
    require(!comm_barrier(&c, NULL), "the barrier");
    if (c.rank == 1)
        sleep(SLOW_S);
    comm_close(&c);
}

/* Rank 1 is stopped for a while and comes back. */
static void rank_back(void)
{
    struct comm c;
    open_job(&c, 0);
    pid_t pid = getpid();
    require(!comm_broadcast(&c, &pid, sizeof pid, 1, NULL), "the broadcast");
    if (c.rank == 0) {
        kill(pid, SIGSTOP);
        sleep(SLOW_S);
        kill(pid, SIGCONT);
    }
    require(!comm_barrier(&c, NULL), "the barrier");
    if (c.rank == 0)
        sleep(TIMEOUT_S); /* rank 1 has the time to accuse rank 0 */
    comm_close(&c);
}

struct silence {
    const char *name;
    void (*as_rank)(void);
    int ranks;
    void (*check)(int code, const char *said); /* how it ended, and all that was said */
    FILE *output;
};

static void a_frozen_rank_is_named_and_ends_the_job(int code, const char *said)
{
    require(code == STATUS_ENVIRONMENT, "a job with a frozen rank ends with 4");
    require(strstr(said, "rank 1 (process "), "the frozen rank is named");
    require(strstr(said, "it was stopped; `kill -CONT "), "and why it is silent");
    require(!strstr(said, "rank 0 (") && !strstr(said, "rank 2 ("), "no other is");
}

static void a_rank_frozen_before_mpi_starts_is_named(int code, const char *said)
{
    require(code == STATUS_ENVIRONMENT, "a job that cannot start ends with 4");
    require(strstr(said, "MPI has been starting for"), "it says what does not end");
    require(strstr(said, "is silent: it was stopped"), "and names the process");
}

static void a_slow_rank_is_alive(int code, const char *said)
{
    require(code == 0, "a slow rank is waited for");
    require(!strstr(said, "has been silent"), "and not called silent");
}

static void a_rank_that_comes_back_is_waited_for(int code, const char *said)
{
    require(code == 0, "a rank that comes back is waited for");
    require(strstr(said, "rank 1 (process "), "it was named");
    require(strstr(said, "rank 1 answers again after"), "so is its return");
    require(!strstr(said, "rank 0 ("), "it accuses nobody");
}

static struct silence silences[] = {
    {"frozen", rank_frozen, 3, a_frozen_rank_is_named_and_ends_the_job, NULL},
    {"early", rank_frozen_early, 2, a_rank_frozen_before_mpi_starts_is_named, NULL},
    {"slow", rank_slow, 2, a_slow_rank_is_alive, NULL},
    {"back", rank_back, 2, a_rank_that_comes_back_is_waited_for, NULL},
};
enum { SILENCES = sizeof silences / sizeof *silences };

static void run_as_rank(const char *name)
{
    for (int i = 0; i < SILENCES; i++)
        if (!strcmp(name, silences[i].name)) {
            silences[i].as_rank();
            return;
        }
    require(false, name);
}

/* Open MPI keeps buffers until the end of the process: not leaks of ours. */
static void begin(struct silence *s, const char *self)
{
    struct strbuf command;
    strbuf_init(&command);
    strbuf_printf(&command,
                  "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
                  "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -s KILL 100 mpirun "
                  "--oversubscribe -n %d '%s' %s 2>&1",
                  s->ranks, self, s->name);
    s->output = popen(command.s, "r");
    require(s->output, "popen");
    strbuf_release(&command);
}

static void end(struct silence *s)
{
    struct strbuf said;
    char line[512];
    strbuf_init(&said);
    while (fgets(line, sizeof line, s->output))
        strbuf_puts(&said, line);
    int status = pclose(s->output);
    printf("== %s: wait status %d\n%s", s->name, status, said.s);
    fflush(stdout);
    s->check(WIFEXITED(status) ? WEXITSTATUS(status) : -1, said.s);
    strbuf_release(&said);
}

/* The launcher is a child that ends at once; its rank, which waits for MPI to start,
 * comes to this process, and must end by itself. */
static void a_rank_without_launcher_ends(void)
{
    int status, ends[2];
    char byte = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    require(!pipe(ends), "pipe");
    pid_t launcher = fork();
    if (!launcher) {
        pid_t rank = fork();
        struct watch w;
        if (rank) /* until the watch has begun */
            _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
        alarm(60);
        if (!watch_open(&w, (struct comm_patience){TIMEOUT_S, 0}, NULL) &&
            write(ends[1], &byte, 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    require(waitpid(launcher, &status, 0) == launcher, "the launcher ends");
    close(ends[0]);
    close(ends[1]);
    require(wait(&status) > 0, "its rank too");
    require(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ENVIRONMENT,
            "a rank without launcher ends with 4");
}

int main(int argc, char **argv)
{
    if (comm_launched() && argc > 1) {
        run_as_rank(argv[1]);
        return 0;
    }
    a_rank_without_launcher_ends();
    if (system("command -v mpirun >/dev/null 2>&1")) {
        puts("skipped: there is no mpirun");
        return SKIPPED;
    }
    for (int i = 0; i < SILENCES; i++) /* they mostly wait: all at once */
        begin(&silences[i], argv[0]);
    for (int i = 0; i < SILENCES; i++)
        end(&silences[i]);
    return 0;
}
