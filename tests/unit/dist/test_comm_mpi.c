/*
 * The MPI communicator with 1, 2 and 3 processes. Started plainly, this program runs
 * itself under mpirun; started by mpirun, it is one of the ranks. Exit code 77 (skipped)
 * where there is no mpirun.
 */
#include "base/mem.h"
#include "base/strbuf.h"
#include "dist/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SKIPPED = 77 };

/* As gait train has it. */
static const struct comm_patience patience = {20, 300};

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: rank %d of %d: %s\n", __FILE__, __LINE__, c->rank,   \
                    c->size, #condition);                                                \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

static void sums_are_over_all_ranks(struct comm *c)
{
    enum { N = 100003 };
    float *f = mem_alloc(N * sizeof *f);
    for (int i = 0; i < N; i++)
        f[i] = (float)(i % 100 + c->rank);
    CHECK(!comm_allreduce_sum(c, f, N, NULL));
    int ranks = c->size * (c->size - 1) / 2;
    for (int i = 0; i < N; i++)
        CHECK(f[i] == (float)(c->size * (i % 100) + ranks));
    mem_free(f);
    double d[] = {0.5, c->rank};
    CHECK(!comm_allreduce_sum_f64(c, d, 2, NULL));
    CHECK(d[0] == 0.5 * c->size && d[1] == ranks);
    CHECK(!comm_allreduce_sum(c, NULL, 0, NULL));
}

/* Sums of values that do not add exactly: all ranks must hold the same bits. */
static void all_ranks_hold_the_same_bits(struct comm *c)
{
    enum { N = 4099 };
    float mine[N], roots[N];
    for (int i = 0; i < N; i++)
        mine[i] = 1.0f / (float)(3 * i + 7 * c->rank + 1);
    CHECK(!comm_allreduce_sum(c, mine, N, NULL));
    memcpy(roots, mine, sizeof mine);
    CHECK(!comm_broadcast(c, roots, sizeof roots, 0, NULL));
    CHECK(!memcmp(mine, roots, sizeof mine));
}

static void every_root_can_broadcast(struct comm *c)
{
    for (int root = 0; root < c->size; root++) {
        char text[64];
        snprintf(text, sizeof text, "from %d", c->rank);
        CHECK(!comm_broadcast(c, text, sizeof text, root, NULL));
        char want[64];
        snprintf(want, sizeof want, "from %d", root);
        CHECK(!strcmp(text, want));
    }
}

static int run_as_rank(void)
{
    struct comm comm, *c = &comm;
    struct err err = ERR_INIT;
    if (comm_open(c, patience, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    CHECK(!strcmp(c->name, "mpi"));
    CHECK(c->size == atoi(getenv("OMPI_COMM_WORLD_SIZE") ? getenv("OMPI_COMM_WORLD_SIZE")
                                                         : getenv("PMI_SIZE")));
    CHECK(c->rank >= 0 && c->rank < c->size);
    sums_are_over_all_ranks(c);
    all_ranks_hold_the_same_bits(c);
    every_root_can_broadcast(c);
    CHECK(!comm_barrier(c, NULL));
    if (!c->rank)
        printf("ok: %d rank(s)\n", c->size);
    comm_close(c);
    return 0;
}

/* Open MPI keeps buffers until the end of the process: not leaks of ours. */
#define ENVIRONMENT                                                                      \
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "                              \
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 "

static int run_command(const char *command)
{
    int code = system(command);
    if (code != -1 && WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return 0;
    fprintf(stderr, "failed (wait status %d): %s\n", code, command);
    return 1;
}

static int run_all(const char *self)
{
    struct strbuf command;
    strbuf_init(&command);
    int failed = 0;
    for (int ranks = 1; ranks <= 3; ranks++) {
        strbuf_clear(&command);
        strbuf_printf(&command, ENVIRONMENT "mpirun --oversubscribe -n %d '%s'", ranks,
                      self);
        failed |= run_command(command.s);
    }
    static const char *const foreign[] = {"PMI_SIZE=2", "SLURM_NTASKS=2 SLURM_PROCID=0"};
    for (int i = 0; i < 2; i++) {
        strbuf_clear(&command);
        strbuf_printf(&command, ENVIRONMENT "env %s '%s' mismatched", foreign[i], self);
        failed |= run_command(command.s);
    }
    strbuf_release(&command);
    return failed;
}

/* A launcher that speaks another MPI's protocol leaves each process alone. */
static int run_mismatched(void)
{
    struct comm c;
    struct err err = ERR_INIT;
    if (comm_open(&c, patience, &err) == STATUS_ENVIRONMENT &&
        strstr(err.text, "started 2 processes and MPI sees 1"))
        return 0;
    fprintf(stderr, "a foreign launcher was not noticed: \"%s\"\n", err.text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "mismatched"))
        return run_mismatched();
    if (comm_launched())
        return run_as_rank();
    if (system("command -v mpirun >/dev/null 2>&1")) {
        puts("skipped: there is no mpirun");
        return SKIPPED;
    }
    return run_all(argv[0]);
}
