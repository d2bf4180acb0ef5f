/*
 * A matmul primitive computes C (rows, columns) = A (rows, depth) B (depth, columns); a
 * transposed operand is the same memory with its strides swapped. Memory objects are made
 * once and get their pointers before each execute, the scratchpad is the caller's, so a
 * step creates nothing. oneDNN's own small nodes: onednn_new.c.
 */
#include "engine/onednn_product.h"

#include "base/address_space.h"
#include "base/mem.h"
#include "engine/bf16.h"
#include "engine/onednn_new.h"

#include <dnnl.h>

#ifdef GAIT_DOUBLE
#error "oneDNN has no double: the double build leaves this file out"
#endif

enum { MATMUL_ARGS_MAX = 5 };

struct matmul {
    dnnl_primitive_t primitive;
    dnnl_memory_t a, b, bias, c, scratchpad; /* bias and scratchpad may be NULL */
    dnnl_exec_arg_t args[MATMUL_ARGS_MAX];
    int n_args;
    size_t scratchpad_bytes;
    bool has_run; /* the first run makes what oneDNN then keeps: no place for slots */
    const char *kernel; /* oneDNN's name of the implementation; lives as long as it */
};

/* Over some of the depth; all slices but the first add to C. */
struct slice {
    struct matmul matmul;
    int64_t from;
};

struct onednn_product {
    struct product_shape shape;
    struct slice *slice;
    size_t n, capacity;
};

/* oneDNN compiles kernels when a primitive is made and when one first runs, each into a
 * mapping of 256 or 320 KiB (strace -e mmap), and where one is refused it dies of a NULL
 * pointer. A primitive has at most 32 kernels of brgemm (first or later block, whole
 * batch or its rest, tails of rows, columns and depth) and a few that copy operands. */
enum { COMPILE_BYTES = 48 * 320 << 10 };

/* One engine and one stream for the process; oneDNN's CPU streams hold no state. */
static dnnl_engine_t cpu_engine;
static dnnl_stream_t cpu_stream;

static enum status failed(struct err *err, dnnl_status_t status, const char *doing)
{
    if (status == dnnl_success)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "oneDNN cannot %s (its status is %d): check the installation of "
                   "libdnnl, or use engine: reference",
                   doing, (int)status);
}

static enum status runtime_open(struct err *err)
{
    if (cpu_stream)
        return STATUS_OK;
    /* A linear's primitives go with it: the cache would keep those of every batch that
     * was only planned (train/what_fits.h). */
    dnnl_set_primitive_cache_capacity(0);
    enum status s =
        failed(err, dnnl_engine_create(&cpu_engine, dnnl_cpu, 0), "start on this CPU");
    if (s == STATUS_OK)
        s = failed(err,
                   dnnl_stream_create(&cpu_stream, cpu_engine, dnnl_stream_default_flags),
                   "make a stream");
    return s;
}

static dnnl_memory_desc_t matrix(int64_t rows, int64_t columns, struct matrix_layout o)
{
    dnnl_dims_t dims = {rows, columns};
    dnnl_dims_t strides = {o.row_stride, o.column_stride};
    dnnl_memory_desc_t desc;
    if (dnnl_memory_desc_init_by_strides(&desc, 2, dims, o.bf16 ? dnnl_bf16 : dnnl_f32,
                                         strides))
        BUG("a matrix of %lld x %lld", (long long)rows, (long long)columns);
    return desc;
}

static enum status attr_new(dnnl_primitive_attr_t *attr, bool accumulate, struct err *err)
{
    dnnl_post_ops_t post_ops = NULL;
    dnnl_status_t s = dnnl_primitive_attr_create(attr);
    if (!s)
        s = dnnl_primitive_attr_set_scratchpad_mode(*attr, dnnl_scratchpad_mode_user);
    if (!s && accumulate) {
        s = dnnl_post_ops_create(&post_ops);
        if (!s)
            s = dnnl_post_ops_append_sum(post_ops, 1.0f);
        if (!s)
            s = dnnl_primitive_attr_set_post_ops(*attr, post_ops);
        dnnl_post_ops_destroy(post_ops);
    }
    return failed(err, s, "set the attributes of a matmul");
}

static enum status primitive_new(struct matmul *m, dnnl_memory_desc_t *scratchpad,
                                 const dnnl_memory_desc_t *desc, bool bias,
                                 bool accumulate, struct err *err)
{
    dnnl_matmul_desc_t op;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    enum status s = attr_new(&attr, accumulate, err);
    if (s == STATUS_OK)
        s = failed(err,
                   dnnl_matmul_desc_init(&op, &desc[0], &desc[1], bias ? &desc[3] : NULL,
                                         &desc[2]),
                   "describe a matmul");
    if (s == STATUS_OK)
        s = failed(err, dnnl_primitive_desc_create(&pd, &op, attr, cpu_engine, NULL),
                   "find a matmul for this shape");
    if (s == STATUS_OK)
        s = failed(err, dnnl_primitive_create(&m->primitive, pd), "create a matmul");
    if (s == STATUS_OK) {
        *scratchpad = *dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &m->kernel))
            m->kernel = "oneDNN";
    }
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    return s;
}

/* A memory object without memory, and its place among the arguments. */
static enum status argument_new(struct matmul *m, dnnl_memory_t *memory, int arg,
                                const dnnl_memory_desc_t *desc, struct err *err)
{
    enum status s =
        failed(err, dnnl_memory_create(memory, desc, cpu_engine, DNNL_MEMORY_NONE),
               "make a memory object");
    if (s == STATUS_OK)
        m->args[m->n_args++] = (dnnl_exec_arg_t){arg, *memory};
    return s;
}

static enum status room_to_compile(struct err *err)
{
    return address_space_require(COMPILE_BYTES, "oneDNN, which compiles its kernels,",
                                 "set engine: reference, which compiles none", err);
}

static enum status matmul_open(struct matmul *m, const struct product_shape *shape,
                               struct err *err)
{
    dnnl_memory_desc_t scratchpad;
    const struct matrix_layout bias = {shape->columns, 1, false};
    dnnl_memory_desc_t desc[4] = {
        matrix(shape->rows, shape->depth, shape->a),
        matrix(shape->depth, shape->columns, shape->b),
        matrix(shape->rows, shape->columns, shape->c),
        matrix(1, shape->columns, bias),
    };
    enum status s = room_to_compile(err);
    if (s == STATUS_OK)
        s = primitive_new(m, &scratchpad, desc, shape->bias, shape->accumulate, err);
    if (s == STATUS_OK)
        s = argument_new(m, &m->a, DNNL_ARG_SRC, &desc[0], err);
    if (s == STATUS_OK)
        s = argument_new(m, &m->b, DNNL_ARG_WEIGHTS, &desc[1], err);
    if (s == STATUS_OK)
        s = argument_new(m, &m->c, DNNL_ARG_DST, &desc[2], err);
    if (s == STATUS_OK && shape->bias)
        s = argument_new(m, &m->bias, DNNL_ARG_BIAS, &desc[3], err);
    if (s != STATUS_OK)
        return s;
    m->scratchpad_bytes = dnnl_memory_desc_get_size(&scratchpad);
    if (m->scratchpad_bytes)
        s = argument_new(m, &m->scratchpad, DNNL_ARG_SCRATCHPAD, &scratchpad, err);
    return s;
}

static void matmul_close(struct matmul *m)
{
    dnnl_memory_destroy(m->a);
    dnnl_memory_destroy(m->b);
    dnnl_memory_destroy(m->bias);
    dnnl_memory_destroy(m->c);
    dnnl_memory_destroy(m->scratchpad);
    dnnl_primitive_destroy(m->primitive);
}

static void set_pointer(dnnl_memory_t memory, const void *p)
{
    if (memory && dnnl_memory_set_data_handle(memory, (void *)p))
        BUG("oneDNN refused a pointer");
}

static void matmul_run(struct matmul *m, void *workspace, void *c, const void *a,
                       const void *b, const float *bias)
{
    set_pointer(m->a, a);
    set_pointer(m->b, b);
    set_pointer(m->c, c);
    set_pointer(m->bias, bias);
    set_pointer(m->scratchpad, workspace);
    if (m->has_run)
        onednn_new_enter();
    else if (!address_space_has(COMPILE_BYTES))
        mem_refused("oneDNN");
    dnnl_status_t s =
        dnnl_primitive_execute(m->primitive, cpu_stream, m->n_args, m->args);
    onednn_new_leave();
    m->has_run = true;
    if (s == dnnl_out_of_memory)
        mem_refused("oneDNN");
    if (s)
        BUG("oneDNN failed to run a matmul: status %d", (int)s);
}

static enum status slice_open(struct onednn_product *p, int64_t from, int64_t depth,
                              struct err *err)
{
    struct product_shape shape = p->shape;
    shape.depth = depth;
    shape.accumulate = p->shape.accumulate || from > 0;
    shape.bias = p->shape.bias && from == 0;
    vec_grow(p->slice, p->capacity, p->n + 1);
    struct slice *slice = &p->slice[p->n++];
    *slice = (struct slice){.from = from};
    return matmul_open(&slice->matmul, &shape, err);
}

enum status onednn_product_open(struct onednn_product **out,
                                const struct product_shape *shape, struct err *err)
{
    enum status s = runtime_open(err);
    if (s != STATUS_OK)
        return s;
    struct onednn_product *p = mem_zalloc(1, sizeof *p);
    const int64_t most = shape->sum_max ? shape->sum_max : shape->depth;
    p->shape = *shape;
    for (int64_t from = 0; from < shape->depth && s == STATUS_OK; from += most) {
        int64_t left = shape->depth - from;
        s = slice_open(p, from, left < most ? left : most, err);
    }
    if (s != STATUS_OK) {
        onednn_product_close(p);
        p = NULL;
    }
    *out = p;
    return s;
}

void onednn_product_close(struct onednn_product *p)
{
    for (size_t i = 0; p && i < p->n; i++)
        matmul_close(&p->slice[i].matmul);
    if (p)
        mem_free(p->slice);
    mem_free(p);
}

size_t onednn_product_workspace_bytes(const struct onednn_product *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->slice[i].matmul.scratchpad_bytes > most)
            most = p->slice[i].matmul.scratchpad_bytes;
    return most;
}

const char *onednn_product_kernel(const struct onednn_product *p)
{
    return p->slice[0].matmul.kernel;
}

/* The operand from depth `from` on. */
static const void *deeper(const void *matrix, struct matrix_layout m, int64_t stride,
                          int64_t from)
{
    return (const char *)matrix +
           from * stride * (int64_t)(m.bf16 ? sizeof(bf16) : sizeof(float));
}

void onednn_product_run(struct onednn_product *p, void *workspace, void *c, const void *a,
                        const void *b, const float *bias)
{
    const struct product_shape *s = &p->shape;
    for (size_t i = 0; i < p->n; i++)
        matmul_run(&p->slice[i].matmul, workspace, c,
                   deeper(a, s->a, s->a.column_stride, p->slice[i].from),
                   deeper(b, s->b, s->b.row_stride, p->slice[i].from), bias);
}
