/*
 * What Gait's reader makes of files, for safetensors_agree.py:
 *   safetensors_check LIST              a line of JSON for each file that LIST names
 *   safetensors_check --rewrite IN OUT  read IN, write its tensors and metadata to OUT
 */
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "checkpoint/header_json.h"
#include "checkpoint/safetensors.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX_BYTES = 16 << 20 };

static void add_numbers(struct strbuf *out, const uint64_t *v, size_t n)
{
    strbuf_putc(out, '[');
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)v[i]);
    strbuf_putc(out, ']');
}

static void add_header(struct strbuf *out, const struct safetensors_header *h)
{
    strbuf_puts(out, "{\"accepted\":true,\"tensors\":{");
    for (size_t i = 0; i < h->n; i++) {
        const struct safetensor *t = &h->tensor[i];
        const uint64_t place[] = {t->begin, t->end};
        strbuf_puts(out, i ? "," : "");
        header_json_quote(out, t->name, t->name_len);
        strbuf_printf(out, ":[\"%s\",", safetensors_dtype_text[t->dtype]);
        add_numbers(out, t->shape, t->dims);
        strbuf_putc(out, ',');
        add_numbers(out, place, 2);
        strbuf_putc(out, ']');
    }
    strbuf_puts(out, "},\"metadata\":{");
    for (size_t i = 0; i < h->pairs; i++) {
        strbuf_puts(out, i ? "," : "");
        header_json_quote(out, h->metadata[i].key, h->metadata[i].key_len);
        strbuf_putc(out, ':');
        header_json_quote(out, h->metadata[i].value, h->metadata[i].value_len);
    }
    strbuf_puts(out, "}}");
}

static void check_file(const char *path)
{
    struct safetensors_file f;
    struct err err = ERR_INIT;
    struct strbuf out;
    strbuf_init(&out);
    if (safetensors_open(&f, path, &err)) {
        strbuf_puts(&out, "{\"accepted\":false,\"why\":");
        header_json_quote(&out, err.text, strlen(err.text));
        strbuf_putc(&out, '}');
    } else {
        add_header(&out, &f.header);
        safetensors_close(&f);
    }
    puts(out.s);
    strbuf_release(&out);
}

static enum status check_list(const char *list, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, list, LIST_MAX_BYTES, err);
    if (st)
        return st;
    char *rest = text;
    for (char *path; (path = strsep(&rest, "\n")) != NULL;)
        if (*path)
            check_file(path);
    mem_free(text);
    return STATUS_OK;
}

static const struct safetensors_file *rewritten;

static enum status get_from_file(const struct safetensor *t, uint64_t first, size_t n,
                                 void *out, struct err *err)
{
    return safetensors_load(rewritten, t->owner, first, n, out, err);
}

static enum status rewrite(const char *from, const char *to, struct err *err)
{
    struct safetensors_file f;
    enum status st = safetensors_open(&f, from, err);
    if (st)
        return st;
    struct safetensor *t = mem_zalloc(f.header.n, sizeof *t);
    for (size_t i = 0; i < f.header.n; i++) {
        t[i] = f.header.tensor[i];
        t[i].get = get_from_file;
        t[i].owner = &f.header.tensor[i];
    }
    rewritten = &f;
    struct safetensors_content c = {.tensor = t,
                                    .n = f.header.n,
                                    .metadata = f.header.metadata,
                                    .pairs = f.header.pairs};
    unlink(to);
    st = safetensors_write(to, &c, err);
    mem_free(t);
    safetensors_close(&f);
    return st;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    enum status st = STATUS_USAGE;
    if (argc == 2)
        st = check_list(argv[1], &err);
    else if (argc == 4 && !strcmp(argv[1], "--rewrite"))
        st = rewrite(argv[2], argv[3], &err);
    if (st)
        fprintf(stderr, "safetensors_check: %s\n",
                *err.text ? err.text : "needs LIST, or --rewrite IN OUT");
    return (int)st;
}
