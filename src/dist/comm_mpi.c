/*
 * The communicator over MPI 3.1, on a duplicate of MPI_COMM_WORLD. Only the thread that
 * opened it calls MPI, and the watch's thread on a communicator of its own (watch.h).
 * Counts are ints in MPI: larger arrays go in pieces.
 */
#include "base/log.h"
#include "dist/comm_ops.h"
#include "dist/launcher.h"
#include "dist/watch.h"

#include <mpi.h>

/* Elements a call. Far below INT_MAX, so that their bytes fit too. */
enum { PIECE_MAX = 1 << 27 };

static MPI_Comm world = MPI_COMM_NULL;
static struct watch watch;
static bool watched;

static enum status mpi_err(struct err *err, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int len = 0;
    if (MPI_Error_string(code, text, &len) != MPI_SUCCESS)
        len = 0;
    return err_set(
        err, STATUS_ENVIRONMENT,
        "MPI could not %s: %.*s; look at mpirun's own messages and whether all "
        "processes still run",
        what, len, text);
}

static enum status mpi_allreduce_sum(struct comm *c, void *data, size_t n,
                                     enum comm_type type, struct err *err)
{
    (void)c;
    MPI_Datatype mpi_type = type == COMM_TYPE_F32 ? MPI_FLOAT : MPI_DOUBLE;
    size_t size = type == COMM_TYPE_F32 ? sizeof(float) : sizeof(double);
    for (char *p = data; n;) {
        size_t piece = n < PIECE_MAX ? n : PIECE_MAX;
        int code = MPI_Allreduce(MPI_IN_PLACE, p, (int)piece, mpi_type, MPI_SUM, world);
        if (code != MPI_SUCCESS)
            return mpi_err(err, "add up over the processes", code);
        p += piece * size;
        n -= piece;
    }
    return STATUS_OK;
}

static enum status mpi_broadcast(struct comm *c, void *data, size_t bytes, int root,
                                 struct err *err)
{
    (void)c;
    for (char *p = data; bytes;) {
        size_t piece = bytes < PIECE_MAX ? bytes : PIECE_MAX;
        int code = MPI_Bcast(p, (int)piece, MPI_BYTE, root, world);
        if (code != MPI_SUCCESS)
            return mpi_err(err, "broadcast", code);
        p += piece;
        bytes -= piece;
    }
    return STATUS_OK;
}

static enum status mpi_barrier(struct comm *c, struct err *err)
{
    (void)c;
    int code = MPI_Barrier(world);
    return code == MPI_SUCCESS ? STATUS_OK : mpi_err(err, "wait for all processes", code);
}

static void mpi_abandon(struct comm *c)
{
    (void)c;
    if (watched)
        watch_close(&watch);
    watched = false;
}

static void mpi_close(struct comm *c)
{
    if (watched) {
        /* MPI's end cannot be watched by signs of life, and rank 0 may still be saving:
         * the ranks meet before it. */
        MPI_Barrier(world);
        watch_leave(&watch);
    }
    MPI_Comm_free(&world);
    MPI_Finalize();
    mpi_abandon(c);
}

static const struct comm_ops mpi_ops = {mpi_allreduce_sum, mpi_broadcast, mpi_barrier,
                                        mpi_close, mpi_abandon};

static enum status mpi_start(int *threads, struct err *err)
{
    int wanted = watched ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    int code = MPI_Init_thread(NULL, NULL, wanted, threads);
    if (code != MPI_SUCCESS)
        return mpi_err(err, "start", code);
    code = MPI_Comm_dup(MPI_COMM_WORLD, &world);
    if (code != MPI_SUCCESS)
        return mpi_err(err, "make a communicator", code);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    return STATUS_OK;
}

/* The thread is there before MPI is: ranks can be stopped while it starts. */
static enum status mpi_start_watched(struct comm_patience patience, struct err *err)
{
    int used = 0, threads;
    MPI_Initialized(&used);
    if (used)
        BUG("comm_open a second time: MPI starts once in a process");
    enum status st = patience.name_s > 0 ? watch_open(&watch, patience, err) : STATUS_OK;
    if (st)
        return st;
    watched = patience.name_s > 0;
    st = mpi_start(&threads, err);
    if (st || !watched)
        return st;
    int code =
        watch_begin(&watch, threads == MPI_THREAD_MULTIPLE ? world : MPI_COMM_NULL);
    return code == MPI_SUCCESS ? STATUS_OK : mpi_err(err, "exchange signs of life", code);
}

/* Rank 0 says for all that silent ranks will not be noticed. */
static void say_unwatched(const struct comm *c)
{
    int threads;
    MPI_Query_thread(&threads);
    if (watched && threads != MPI_THREAD_MULTIPLE && c->rank == 0 && c->size > 1)
        log_line("gait: note: this MPI cannot be called from two threads, so a rank that "
                 "falls silent is not named (rank_timeout)");
}

enum status comm_open_mpi(struct comm *c, struct comm_patience patience, struct err *err)
{
    *c = (struct comm){.name = "mpi", .ops = &mpi_ops};
    enum status st = mpi_start_watched(patience, err);
    if (st) {
        comm_abandon(c);
        return st;
    }
    MPI_Comm_rank(world, &c->rank);
    MPI_Comm_size(world, &c->size);
    say_unwatched(c);
    /* A launcher of another MPI starts n jobs of one instead of one job of n. */
    struct launcher launcher = launcher_asked();
    st = launcher_check_size(&launcher, c->size, err);
    if (st)
        comm_close(c);
    return st;
}
