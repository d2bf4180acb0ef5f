#include "engine/product_choice.h"

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "engine/product_kernel.h"
#include "machine/cpu.h"

#include <dnnl.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

/* Some thousands of shapes. A file that has grown beyond it begins anew. */
enum { FILE_BYTES_MAX = 1 << 20 };

static const char *const maker_word[PRODUCT_MAKERS] = {"onednn", "own"};

static void put_layout(struct strbuf *out, struct matrix_layout m)
{
    strbuf_printf(out, " %s %lld %lld", m.bf16 ? "bf16" : "f32", (long long)m.row_stride,
                  (long long)m.column_stride);
}

/* GAIT_KERNELS: a hash of the sources of own products. */
static void put_key(struct strbuf *out, const struct product_shape *s)
{
    const dnnl_version_t *v = dnnl_version();
    bool half = s->a.bf16 && s->b.bf16;
    strbuf_printf(out,
                  "%s; %s, kernels %s; oneDNN %d.%d.%d; %s; %d threads; %lld %lld %lld",
                  cpu_name().s, GAIT_BUILD, GAIT_KERNELS, v->major, v->minor, v->patch,
                  product_kernel_for(half)->name, omp_get_max_threads(),
                  (long long)s->rows, (long long)s->columns, (long long)s->depth);
    put_layout(out, s->a);
    put_layout(out, s->b);
    put_layout(out, s->c);
    strbuf_printf(out, "%s%s, sums of %lld\t", s->bias ? " bias" : "",
                  s->accumulate ? " +=" : "", (long long)s->sum_max);
}

/* "key<tab>maker<tab>ns<tab>ns", a whole line. */
static bool read_line(enum product_maker *maker, const char *line, size_t len,
                      const struct strbuf *key)
{
    if (len < key->len || memcmp(line, key->s, key->len) != 0)
        return false;
    for (int i = 0; i < PRODUCT_MAKERS; i++) {
        size_t word = strlen(maker_word[i]);
        if (len > key->len + word && line[key->len + word] == '\t' &&
            !memcmp(line + key->len, maker_word[i], word)) {
            *maker = (enum product_maker)i;
            return true;
        }
    }
    return false;
}

static bool find(enum product_maker *maker, const char *text, size_t len,
                 const struct strbuf *key)
{
    const char *at = text, *end;
    for (; (end = memchr(at, '\n', len - (size_t)(at - text))) != NULL; at = end + 1)
        if (read_line(maker, at, (size_t)(end - at), key))
            return true;
    return false;
}

bool product_choice_find(enum product_maker *maker, const struct product_shape *shape)
{
    char *text = NULL, *path = cache_folder_path("products.tsv");
    size_t len = 0;
    bool found = false;
    if (path && !file_read(&text, &len, path, FILE_BYTES_MAX, NULL)) {
        struct strbuf key;
        strbuf_init(&key);
        put_key(&key, shape);
        found = find(maker, text, len, &key);
        strbuf_release(&key);
        mem_free(text);
    }
    mem_free(path);
    return found;
}

/* Too large to be read again: what is in it is of other shapes, machines and builds. */
static void begin_anew(int file)
{
    if (lseek(file, 0, SEEK_END) > FILE_BYTES_MAX / 2 && ftruncate(file, 0))
        return; /* then nothing is found in it, and oneDNN makes the products */
}

int product_choice_begin(void)
{
    char *path = cache_folder_path("products.tsv");
    if (!path)
        return -1;
    char *folder = path_folder(path);
    bool made = !file_make_folders(folder, NULL);
    int file = made ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file >= 0)
        begin_anew(file);
    mem_free(folder);
    mem_free(path);
    return file;
}

/* A line that was cut short (a full disk, a kill) does not spoil the next. */
static bool ends_in_a_line(int file)
{
    char last;
    off_t end = lseek(file, 0, SEEK_END);
    return end <= 0 || (pread(file, &last, 1, end - 1) == 1 && last == '\n');
}

/* One write at the end of the file: what others append stays whole. */
void product_choice_keep(int file, const struct product_shape *shape,
                         const double ns[PRODUCT_MAKERS])
{
    const enum product_maker maker =
        ns[PRODUCT_OWN] < ns[PRODUCT_BY_ONEDNN] ? PRODUCT_OWN : PRODUCT_BY_ONEDNN;
    struct strbuf line;
    strbuf_init(&line);
    strbuf_puts(&line, ends_in_a_line(file) ? "" : "\n");
    put_key(&line, shape);
    strbuf_printf(&line, "%s\t%.0f\t%.0f\n", maker_word[maker], ns[PRODUCT_BY_ONEDNN],
                  ns[PRODUCT_OWN]);
    if (write(file, line.s, line.len) != (ssize_t)line.len)
        (void)0; /* it is not found, and oneDNN makes the product */
    close(file);
    strbuf_release(&line);
}
