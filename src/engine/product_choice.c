#include "engine/product_choice.h"

#include "base/cache_folder.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "engine/product_kernel.h"
#include "machine/cpu.h"

#include <dnnl.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAKERS = 2, FILE_BYTES_MAX = 4 << 20 };
/* Rounds in which both run once; at least three, then until the time is over. */
enum { ROUNDS_LEAST = 3, ROUNDS_MAX = 15 };
static const double MEASURE_S = 0.2;

static const char *const maker_word[MAKERS] = {"onednn", "own"};

/* --- what is kept --- */

/* All lines "key<tab>maker<tab>ns<tab>ns<newline>", or NULL: not read yet. */
static char *kept;

static void put_layout(struct strbuf *out, struct matrix_layout m)
{
    strbuf_printf(out, " %s%s", m.bf16 ? "bf16" : "f32",
                  m.column_stride == 1 ? "" : " transposed");
}

static void put_key(struct strbuf *out, const struct product_shape *s)
{
    const dnnl_version_t *v = dnnl_version();
    bool half = s->a.bf16 && s->b.bf16;
    strbuf_printf(out, "%s; gait %s, %s; oneDNN %d.%d.%d; %s; %d threads; %lld %lld %lld",
                  cpu_name().s, GAIT_VERSION, GAIT_BUILD, v->major, v->minor, v->patch,
                  product_kernel_for(half)->name, omp_get_max_threads(),
                  (long long)s->rows, (long long)s->columns, (long long)s->depth);
    put_layout(out, s->a);
    put_layout(out, s->b);
    put_layout(out, s->c);
    strbuf_printf(out, "%s%s\t", s->bias ? " bias" : "", s->accumulate ? " +=" : "");
}

static void read_kept(const char *path)
{
    size_t len;
    if (kept)
        return;
    if (file_read(&kept, &len, path, FILE_BYTES_MAX, NULL))
        kept = mem_strdup("");
}

/* The line of the key, at its beginning; else NULL. */
static const char *find(const char *key)
{
    const char *at = kept;
    while ((at = strstr(at, key)) != NULL) {
        if (at == kept || at[-1] == '\n')
            return at + strlen(key);
        at++;
    }
    return NULL;
}

static bool read_maker(enum product_maker *maker, const char *line)
{
    for (int i = 0; i < MAKERS; i++) {
        size_t len = strlen(maker_word[i]);
        if (!strncmp(line, maker_word[i], len) && line[len] == '\t') {
            *maker = (enum product_maker)i;
            return true;
        }
    }
    return false;
}

/* One write at the end of the file: what others append stays whole. False where it cannot
 * be kept. */
static bool append(const char *path, const struct strbuf *line)
{
    char *folder = path_folder(path);
    bool made = !file_make_folders(folder, NULL);
    mem_free(folder);
    int fd = made ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return false;
    bool whole = write(fd, line->s, line->len) == (ssize_t)line->len;
    return !close(fd) && whole;
}

static void remember(const struct strbuf *line)
{
    struct strbuf all;
    strbuf_init(&all);
    strbuf_printf(&all, "%s%s", kept, line->s);
    mem_free(kept);
    kept = strbuf_detach(&all);
    strbuf_release(&all);
}

/* --- measuring --- */

struct contest {
    struct product *by[MAKERS];
    void *a, *b, *c, *workspace;
    double ns[MAKERS][ROUNDS_MAX];
    size_t rounds;
};

/* Touched, so that no page is new while it is timed; the numbers do not matter, but for
 * those that would be slow. */
static void *room(size_t bytes)
{
    void *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (at)
        memset(at, 0x3c, bytes);
    return at;
}

static size_t bytes_of(struct matrix_layout m, int64_t rows, int64_t columns)
{
    int64_t lines = m.column_stride == 1 ? rows : columns;
    int64_t stride = m.column_stride == 1 ? m.row_stride : m.column_stride;
    return (size_t)(lines * stride) * (m.bf16 ? 2 : 4);
}

static enum status contest_open(struct contest *x, const struct product_shape *s,
                                struct err *err)
{
    size_t workspace = 0;
    *x = (struct contest){.rounds = 0};
    for (int i = 0; i < MAKERS; i++) {
        enum status st = product_open(&x->by[i], s, (enum product_maker)i, err);
        if (st)
            return st;
        if (product_workspace_bytes(x->by[i]) > workspace)
            workspace = product_workspace_bytes(x->by[i]);
    }
    x->a = room(bytes_of(s->a, s->rows, s->depth));
    x->b = room(bytes_of(s->b, s->depth, s->columns));
    x->c = room(bytes_of(s->c, s->rows, s->columns));
    x->workspace = room(workspace);
    return STATUS_OK;
}

static void contest_close(struct contest *x)
{
    for (int i = 0; i < MAKERS; i++)
        product_close(x->by[i]);
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->workspace);
}

static double run_once(struct contest *x, int maker, const float *bias)
{
    int64_t begin_ns = clock_now_ns();
    product_run(x->by[maker], x->workspace, x->c, x->a, x->b, bias);
    return (double)(clock_now_ns() - begin_ns);
}

static void contest_run(struct contest *x, const struct product_shape *s)
{
    float *bias = s->bias ? mem_zalloc((size_t)s->columns, sizeof *bias) : NULL;
    for (int i = 0; i < MAKERS; i++)
        run_once(x, i, bias); /* the first makes what is then kept */
    int64_t begin_ns = clock_now_ns();
    while (x->rounds < ROUNDS_MAX &&
           (x->rounds < ROUNDS_LEAST ||
            (double)(clock_now_ns() - begin_ns) < MEASURE_S * 1e9)) {
        for (int i = 0; i < MAKERS; i++) {
            int maker = x->rounds % 2 ? !i : i;
            x->ns[maker][x->rounds] = run_once(x, maker, bias);
        }
        x->rounds++;
    }
    mem_free(bias);
}

static enum status measure(double ns[MAKERS], const struct product_shape *s,
                           struct err *err)
{
    struct contest x;
    enum status st = contest_open(&x, s, err);
    ns[PRODUCT_BY_ONEDNN] = ns[PRODUCT_OWN] = 0; /* without room: oneDNN */
    if (st == STATUS_OK && x.a && x.b && x.c && x.workspace) {
        contest_run(&x, s);
        for (int i = 0; i < MAKERS; i++)
            ns[i] = stats_median(x.ns[i], x.rounds);
    }
    contest_close(&x);
    return st;
}

static void put_line(struct strbuf *out, const char *key, enum product_maker maker,
                     const double ns[MAKERS])
{
    strbuf_printf(out, "%s%s\t%.0f\t%.0f\n", key, maker_word[maker],
                  ns[PRODUCT_BY_ONEDNN], ns[PRODUCT_OWN]);
}

static enum status choose_anew(enum product_maker *maker, const char *path,
                               const char *key, const struct product_shape *s,
                               struct err *err)
{
    double ns[MAKERS];
    log_status("measuring whose product of %lld x %lld x %lld is faster here",
               (long long)s->rows, (long long)s->columns, (long long)s->depth);
    enum status st = measure(ns, s, err);
    log_status_clear();
    if (st != STATUS_OK)
        return st;
    *maker = ns[PRODUCT_OWN] < ns[PRODUCT_BY_ONEDNN] ? PRODUCT_OWN : PRODUCT_BY_ONEDNN;
    struct strbuf line;
    strbuf_init(&line);
    put_line(&line, key, *maker, ns);
    if (!append(path, &line)) {
        *maker = PRODUCT_BY_ONEDNN;
        strbuf_clear(&line);
        put_line(&line, key, *maker, ns);
    }
    remember(&line);
    strbuf_release(&line);
    return STATUS_OK;
}

enum status product_choose(enum product_maker *maker, const struct product_shape *shape,
                           struct err *err)
{
    struct strbuf key;
    enum status st = STATUS_OK;
    char *path = cache_folder_path("products.tsv");
    *maker = PRODUCT_BY_ONEDNN;
    if (!path)
        return STATUS_OK;
    strbuf_init(&key);
    put_key(&key, shape);
    read_kept(path);
    const char *line = find(key.s);
    if (!line || !read_maker(maker, line))
        st = choose_anew(maker, path, key.s, shape, err);
    strbuf_release(&key);
    mem_free(path);
    return st;
}
