/* A job of one: every sum and every broadcast is what the rank already holds. */
#include "dist/comm_ops.h"

static enum status self_allreduce_sum(struct comm *c, void *data, size_t n,
                                      enum comm_type type, struct err *err)
{
    (void)c, (void)data, (void)n, (void)type, (void)err;
    return STATUS_OK;
}

static enum status self_broadcast(struct comm *c, void *data, size_t bytes, int root,
                                  struct err *err)
{
    (void)c, (void)data, (void)bytes, (void)root, (void)err;
    return STATUS_OK;
}

static enum status self_barrier(struct comm *c, struct err *err)
{
    (void)c, (void)err;
    return STATUS_OK;
}

static void self_close(struct comm *c)
{
    (void)c;
}

static const struct comm_ops self_ops = {self_allreduce_sum, self_broadcast, self_barrier,
                                         self_close, self_close};

void comm_init_self(struct comm *c)
{
    *c = (struct comm){.name = "self", .rank = 0, .size = 1, .ops = &self_ops};
}
