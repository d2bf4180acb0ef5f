/*
 * What it costs to put spans away and to get them back in order (spans/span_store.h), in
 * ns of CPU time a row, the least of five rounds, for the orders in which recordings
 * come: sorted     ascending, as a profiler writes a host's operators near ascending, but
 * for a neighbour now and then two lanes  launches and kernels by turns, some of each,
 * the kernels far behind apart      all of the host's runs, then all of the device's,
 * over the same time shuffled   any order; every run overlaps every other
 *
 * Usage: bench_span_store ROWS ROWS_A_RUN MEMORY_MIB      (0 MiB: all in the file)
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "spans/span_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 5,
    NAMES = 512,
    LANES = 4,
    STEP_NS = 1000,
    LAG_ROWS = 800,
    TURN_ROWS = 5
};

struct bench {
    size_t rows, run_rows, memory_bytes;
    int32_t lane[LANES];
    name_id name[NAMES];
};

struct figures {
    double add_ns, end_ns, read_ns; /* a row */
    double packed_bytes;            /* a row; 0: not spilled, so not known */
};

/* When row i of the recording begins. */
typedef int64_t begin_fn(const struct bench *b, size_t i);

static uint64_t random_state = 1;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int64_t begin_sorted(const struct bench *b, size_t i)
{
    (void)b;
    return (int64_t)i * STEP_NS + (int64_t)(random_next() % STEP_NS);
}

static int64_t begin_near(const struct bench *b, size_t i)
{
    return begin_sorted(b, i % 64 ? i : i + 2);
}

static int64_t begin_two_lanes(const struct bench *b, size_t i)
{
    return begin_sorted(b, i / TURN_ROWS % 2 ? i + LAG_ROWS : i);
}

static int64_t begin_apart(const struct bench *b, size_t i)
{
    size_t half = b->rows / 2;
    return 2 * begin_sorted(b, i < half ? i : i - half);
}

static int64_t begin_shuffled(const struct bench *b, size_t i)
{
    (void)i;
    return (int64_t)(random_next() % b->rows) * STEP_NS;
}

/* As a trace has them: launches and kernels by turns, some with shapes, few with bytes.
 */
static struct span make_row(size_t i, int64_t begin_ns)
{
    uint64_t any = random_next();
    bool device = i % 2, launch = i % 4 == 2;
    return (struct span){
        .lane = device ? 2 : (int32_t)(any % 2),
        .kind = device ? SPAN_KIND_KERNEL : SPAN_KIND_OP,
        .name = (name_id)(any >> 8 & (NAMES - 1)),
        .begin_ns = begin_ns,
        .dur_ns = (int64_t)(any >> 20 & (any & 1 << 17 ? 0xfff : 0xfffff)),
        .correlation = device || launch ? (int64_t)(1000 + i / 4) : 0,
        .seq = (int64_t)i,
        .shapes = device ? 0 : (name_id)(any >> 40 & (NAMES - 1)),
        .bytes = any >> 56 ? 0 : 4096,
    };
}

static void check(enum status st, const struct err *err)
{
    if (st == STATUS_OK)
        return;
    fprintf(stderr, "bench_span_store: %s\n", err->text);
    exit((int)st);
}

static void write_all(const struct bench *b, struct span_pool *pool, begin_fn *begin,
                      struct figures *f)
{
    struct err err = ERR_INIT;
    struct span_writer *w = span_writer_new(pool, 0);
    struct span *run = mem_alloc(b->run_rows * sizeof *run);
    int64_t add_ns = 0, end_ns = 0, order = 0;
    for (size_t i = 0; i < b->rows;) {
        size_t n = b->rows - i < b->run_rows ? b->rows - i : b->run_rows;
        for (size_t k = 0; k < n; k++, i++)
            run[k] = make_row(i, begin(b, i));
        int64_t t0 = clock_cpu_ns();
        for (size_t k = 0; k < n; k++)
            span_writer_add(w, &run[k]);
        int64_t t1 = clock_cpu_ns();
        check(span_writer_end_run(w, order++, &err), &err);
        add_ns += t1 - t0;
        end_ns += clock_cpu_ns() - t1;
    }
    f->add_ns = (double)add_ns / (double)b->rows;
    f->end_ns = (double)end_ns / (double)b->rows;
    f->packed_bytes = (double)span_pool_spilled_bytes(pool) / (double)b->rows;
    mem_free(run);
    span_writer_free(w);
}

static void read_all(const struct bench *b, struct span_pool *pool, struct figures *f)
{
    struct err err = ERR_INIT;
    const int32_t *lane = b->lane;
    const name_id *name = b->name;
    const struct span *rows;
    int64_t before_ns = INT64_MIN;
    size_t seen = 0, n;
    int64_t t0 = clock_cpu_ns();
    struct span_reader *r = span_reader_new(pool, &lane, &name);
    struct span_stream *s = span_reader_stream(r);
    while ((n = s->next(s, &rows))) {
        if (rows[0].begin_ns < before_ns)
            BUG("not in order");
        before_ns = rows[n - 1].begin_ns;
        seen += n;
    }
    check(span_reader_status(r, &err), &err);
    span_reader_free(r);
    f->read_ns = (double)(clock_cpu_ns() - t0) / (double)b->rows;
    if (seen != b->rows)
        BUG("%zu of %zu rows", seen, b->rows);
}

static void print_figures(struct json_writer *json, const char *what, struct figures f)
{
    printf("%-10s %8.1f %10.1f %10.1f %12.1f %10.1f\n", what, f.add_ns, f.end_ns,
           f.add_ns + f.end_ns, f.read_ns, f.packed_bytes);
    json_key(json, what);
    json_begin_object(json);
    json_field_double(json, "write_ns", f.add_ns + f.end_ns, 3);
    json_field_double(json, "read_ns", f.read_ns, 3);
    json_field_double(json, "file_bytes", f.packed_bytes, 3);
    json_end(json);
}

static void run_order(const struct bench *b, struct json_writer *json, const char *what,
                      begin_fn *begin)
{
    struct figures least = {INFINITY, INFINITY, INFINITY, 0};
    for (int i = 0; i < ROUNDS; i++) {
        struct figures f;
        struct span_pool *pool = span_pool_new(b->memory_bytes, NULL);
        write_all(b, pool, begin, &f);
        read_all(b, pool, &f);
        span_pool_free(pool);
        least.add_ns = fmin(least.add_ns, f.add_ns);
        least.end_ns = fmin(least.end_ns, f.end_ns);
        least.read_ns = fmin(least.read_ns, f.read_ns);
        least.packed_bytes = f.packed_bytes;
    }
    print_figures(json, what, least);
}

int main(int argc, char **argv)
{
    static struct bench b;
    b.rows = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
    b.run_rows = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    b.memory_bytes = argc == 4 ? strtoul(argv[3], NULL, 10) << 20 : 0;
    if (!b.rows || !b.run_rows) {
        fprintf(stderr, "usage: bench_span_store ROWS ROWS_A_RUN MEMORY_MIB\n");
        return STATUS_USAGE;
    }
    struct strbuf out;
    struct json_writer json;
    strbuf_init(&out);
    json_init(&json, &out);
    json.compact = true;
    json_begin_object(&json);
    json_field_string(&json, "bench", "span_store");
    for (int i = 0; i < LANES; i++)
        b.lane[i] = i;
    for (name_id i = 0; i < NAMES; i++)
        b.name[i] = i;
    printf("ns a row    add  sort,pack      write  merge,read  file bytes\n");
    run_order(&b, &json, "sorted", begin_sorted);
    run_order(&b, &json, "near", begin_near);
    run_order(&b, &json, "two lanes", begin_two_lanes);
    run_order(&b, &json, "apart", begin_apart);
    run_order(&b, &json, "shuffled", begin_shuffled);
    json_end(&json);
    puts(out.s);
    strbuf_release(&out);
    return 0;
}
