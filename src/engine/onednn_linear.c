/*
 * A linear's parts (ops.h) cut the N columns of y: each has its own primitives,
 * which read and write their columns of the whole arrays through strides. In bf16, x, W,
 * y and their gradients are bf16, the weights' gradient and the bias are f32.
 *
 * A matmul primitive computes C (rows, columns) = A (rows, depth) B (depth, columns); a
 * transposed operand is the same memory with its strides swapped. Memory objects are made
 * once and get their pointers before each execute, the scratchpad is the caller's, so a
 * step creates nothing. oneDNN's own small nodes: onednn_new.c.
 */
#include "engine/onednn_linear.h"

#include "base/address_space.h"
#include "base/mem.h"
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

struct part_primitives {
    struct matmul forward;           /* y = x W^T + b */
    struct matmul weight_write;      /* dw = dy^T x */
    struct matmul weight_accumulate; /* dw += dy^T x */
};

/* dx = dy W over some columns of y, which are this product's depth; all slices but the
 * first add to dx. */
struct input_slice {
    struct matmul matmul;
    int64_t column;
};

struct linear_primitives {
    struct part_primitives part[LINEAR_PARTS_MAX];
    struct input_slice *slice;
    size_t n_slices, slice_capacity;
};

/* The rounding of one long f32 sum grows with its length: with a vocabulary of 50,257
 * the head's dx was 1.7 times as wrong as PyTorch's. Sums of sums are not. In bf16 each
 * slice would be rounded to 8 bits, so there a part stays one product. */
enum { F32_DEPTH_MAX = 4096 };

/* A matrix as it lies in memory. */
struct operand {
    int64_t row_stride, column_stride; /* in numbers */
    bool bf16;
};

struct matmul_shape {
    int64_t rows, columns, depth;
    struct operand a, b, c;
    bool bias; /* (columns), f32 */
    bool accumulate;
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

static dnnl_memory_desc_t matrix(int64_t rows, int64_t columns, struct operand o)
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

static enum status matmul_open(struct matmul *m, const struct matmul_shape *shape,
                               struct err *err)
{
    dnnl_memory_desc_t scratchpad;
    const struct operand bias = {shape->columns, 1, false};
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
                       const void *b, const real *bias)
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

/* The products of one part of n columns, but for those that give dx. */
static enum status part_open(struct part_primitives *p, const struct linear *l, int64_t n,
                             struct err *err)
{
    const struct operand x = {l->K, 1, l->bf16}, y = {l->N, 1, l->bf16};
    const struct operand w_transposed = {1, l->K, l->bf16};
    const struct operand y_transposed = {1, l->N, l->bf16}, dw = {l->K, 1, false};
    const struct matmul_shape shape[] = {
        {l->M, n, l->K, x, w_transposed, y, l->has_bias, false},
        {n, l->K, l->M, y_transposed, x, dw, false, false},
        {n, l->K, l->M, y_transposed, x, dw, false, true},
    };
    struct matmul *matmul[] = {&p->forward, &p->weight_write, &p->weight_accumulate};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < sizeof shape / sizeof *shape && s == STATUS_OK; i++)
        s = matmul_open(matmul[i], &shape[i], err);
    return s;
}

/* The slices of dx from the n columns that begin at `column`. */
static enum status slices_open(struct linear_primitives *p, const struct linear *l,
                               int64_t column, int64_t n, struct err *err)
{
    const struct operand x = {l->K, 1, l->bf16}, y = {l->N, 1, l->bf16};
    const int64_t most = l->bf16 ? n : F32_DEPTH_MAX;
    enum status s = STATUS_OK;
    for (int64_t done = 0; done < n && s == STATUS_OK; done += most) {
        const int64_t depth = n - done < most ? n - done : most;
        const bool later = p->n_slices > 0;
        const struct matmul_shape shape = {l->M, l->K, depth, y, x, x, false, later};
        vec_grow(p->slice, p->slice_capacity, p->n_slices + 1);
        struct input_slice *slice = &p->slice[p->n_slices++];
        *slice = (struct input_slice){.column = column + done};
        s = matmul_open(&slice->matmul, &shape, err);
    }
    return s;
}

static void need_workspace(struct linear *l, const struct matmul *m)
{
    if (m->scratchpad_bytes > l->workspace_bytes)
        l->workspace_bytes = m->scratchpad_bytes;
}

static void plan_workspace(struct linear *l, const struct linear_primitives *p)
{
    l->workspace_bytes = 0;
    for (int i = 0; i < l->n_parts; i++) {
        need_workspace(l, &p->part[i].forward);
        need_workspace(l, &p->part[i].weight_write);
        need_workspace(l, &p->part[i].weight_accumulate);
    }
    for (size_t i = 0; i < p->n_slices; i++)
        need_workspace(l, &p->slice[i].matmul);
}

enum status onednn_linear_open(struct linear *l, struct err *err)
{
    enum status s = runtime_open(err);
    if (s != STATUS_OK)
        return s;
    struct linear_primitives *p = mem_zalloc(1, sizeof *p);
    l->prepared = p;
    int64_t column = 0;
    for (int i = 0; i < l->n_parts && s == STATUS_OK; column += l->part[i++]) {
        s = part_open(&p->part[i], l, l->part[i], err);
        if (s == STATUS_OK)
            s = slices_open(p, l, column, l->part[i], err);
    }
    plan_workspace(l, p);
    l->kernel = p->part[0].forward.kernel;
    if (s != STATUS_OK)
        onednn_linear_close(l);
    return s;
}

void onednn_linear_close(struct linear *l)
{
    struct linear_primitives *p = l->prepared;
    if (!p)
        return;
    for (int i = 0; i < l->n_parts; i++) {
        matmul_close(&p->part[i].forward);
        matmul_close(&p->part[i].weight_write);
        matmul_close(&p->part[i].weight_accumulate);
    }
    for (size_t i = 0; i < p->n_slices; i++)
        matmul_close(&p->slice[i].matmul);
    mem_free(p->slice);
    mem_free(p);
    l->prepared = NULL;
}

/* Number `index` of an opaque tensor. */
static const void *at(const struct linear *l, const act *a, int64_t index)
{
    return (const char *)a + index * (int64_t)(l->bf16 ? sizeof(uint16_t) : sizeof(real));
}

void onednn_linear_forward(const struct linear *l, act *y, const act *x, const act *w,
                           const real *b)
{
    struct linear_primitives *p = l->prepared;
    int64_t n = 0;
    for (int i = 0; i < l->n_parts; n += l->part[i++])
        matmul_run(&p->part[i].forward, l->workspace, (void *)at(l, y, n), x,
                   at(l, w, n * l->K), b ? b + n : NULL);
}

void onednn_linear_backward_input(const struct linear *l, act *dx, const act *dy,
                                  const act *w)
{
    struct linear_primitives *p = l->prepared;
    for (size_t i = 0; i < p->n_slices; i++)
        matmul_run(&p->slice[i].matmul, l->workspace, dx, at(l, dy, p->slice[i].column),
                   at(l, w, p->slice[i].column * l->K), NULL);
}

void onednn_linear_backward_weight(const struct linear *l, real *dw, const act *dy,
                                   const act *x, bool accumulate)
{
    struct linear_primitives *p = l->prepared;
    int64_t n = 0;
    for (int i = 0; i < l->n_parts; n += l->part[i++])
        matmul_run(accumulate ? &p->part[i].weight_accumulate : &p->part[i].weight_write,
                   l->workspace, dw + n * l->K, at(l, dy, n), x, NULL);
}
