/*
 * The communicator over MPI 3.1, on a duplicate of MPI_COMM_WORLD. Only the thread that
 * opened it calls MPI. Counts are ints in MPI: larger arrays go in pieces.
 */
#include "dist/comm_ops.h"
#include "dist/launcher.h"

#include <mpi.h>

/* Elements a call. Far below INT_MAX, so that their bytes fit too. */
enum { PIECE_MAX = 1 << 27 };

static MPI_Comm world = MPI_COMM_NULL;

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

static void mpi_close(struct comm *c)
{
    (void)c;
    MPI_Comm_free(&world);
    MPI_Finalize();
}

static const struct comm_ops mpi_ops = {mpi_allreduce_sum, mpi_broadcast, mpi_barrier,
                                        mpi_close};

static enum status mpi_start(struct err *err)
{
    int used = 0, provided;
    MPI_Initialized(&used);
    if (used)
        BUG("comm_open a second time: MPI starts once in a process");
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code != MPI_SUCCESS)
        return mpi_err(err, "start", code);
    code = MPI_Comm_dup(MPI_COMM_WORLD, &world);
    return code == MPI_SUCCESS ? STATUS_OK : mpi_err(err, "make a communicator", code);
}

enum status comm_open_mpi(struct comm *c, struct err *err)
{
    enum status st = mpi_start(err);
    if (st)
        return st;
    *c = (struct comm){.name = "mpi", .ops = &mpi_ops};
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &c->rank);
    MPI_Comm_size(world, &c->size);
    /* A launcher of another MPI starts n jobs of one instead of one job of n. */
    struct launcher launcher = launcher_asked();
    st = launcher_check_size(&launcher, c->size, err);
    if (st)
        comm_close(c);
    return st;
}
