#include "dist/heartbeat.h"

#include <string.h>
#include <unistd.h>

/* What is sent; a send may still be under way when its rank has gone on. */
static const char alive = 'a', goodbye = 'g';

static struct heartbeat_place place_of_this_process(void)
{
    struct heartbeat_place p = {.pid = (int)getpid()};
    if (gethostname(p.host, sizeof p.host - 1))
        strcpy(p.host, "unknown");
    return p;
}

static int listen_once(struct heartbeat *h)
{
    return MPI_Irecv(&h->heard, 1, MPI_CHAR, h->watched, 0, h->comm, &h->hearing);
}

int heartbeat_open(struct heartbeat *h, MPI_Comm world)
{
    int rank, size;
    *h = (struct heartbeat){.sending = MPI_REQUEST_NULL,
                            .hearing = MPI_REQUEST_NULL,
                            .here = place_of_this_process()};
    int code = MPI_Comm_dup(world, &h->comm);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Comm_set_errhandler(h->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(h->comm, &rank);
    MPI_Comm_size(h->comm, &size);
    h->watched = (rank + 1) % size;
    h->watcher = (rank + size - 1) % size;
    code = MPI_Sendrecv(&h->here, sizeof h->here, MPI_BYTE, h->watcher, 0, &h->there,
                        sizeof h->there, MPI_BYTE, h->watched, 0, h->comm,
                        MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? listen_once(h) : code;
}

static bool done(MPI_Request *request)
{
    int flag = 0;
    return MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

static bool hear(struct heartbeat *h)
{
    if (h->heard_last || !done(&h->hearing))
        return false;
    h->heard_last = h->heard == goodbye;
    if (!h->heard_last)
        listen_once(h);
    return true;
}

/* Nobody waits for the last byte to arrive: it comes after those before it, and the
 * watcher listens until then. */
static void say_goodbye(struct heartbeat *h)
{
    if (h->sending != MPI_REQUEST_NULL)
        MPI_Request_free(&h->sending);
    MPI_Isend(&goodbye, 1, MPI_CHAR, h->watcher, 0, h->comm, &h->sending);
    MPI_Request_free(&h->sending);
    h->sent_last = true;
}

bool heartbeat_tick(struct heartbeat *h, bool leaving)
{
    bool heard = hear(h);
    if (leaving && !h->sent_last)
        say_goodbye(h);
    else if (!leaving && done(&h->sending))
        MPI_Issend(&alive, 1, MPI_CHAR, h->watcher, 0, h->comm, &h->sending);
    return heard;
}

bool heartbeat_over(const struct heartbeat *h)
{
    return h->sent_last && h->heard_last;
}

void heartbeat_close(struct heartbeat *h)
{
    MPI_Comm_free(&h->comm);
}

int heartbeat_local_pid(const struct heartbeat *h)
{
    return strcmp(h->here.host, h->there.host) ? 0 : h->there.pid;
}
