/* Texts as ids and ids as texts. */
#ifdef GAIT_TRAIN
#include "base/file.h"
#include "base/mem.h"
#include "cli/data_actions.h"
#include "data/tokenizer_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_BYTES = 1 << 30 };
static const char WHITE[] = " \t\r\n";

static enum status open_tokenizer(struct tokenizer *t, const struct args *args,
                                  struct err *err)
{
    const char *name = args_value(args, "tokenizer");
    if (!name)
        return err_set(err, STATUS_USAGE,
                       "data %s needs --tokenizer: bytes, gpt2 or a tokenizer.json",
                       args->operands[0]);
    return tokenizer_open(t, name, args_value(args, "data-dir"), err);
}

/* The ids of text[0..len): one a line, or all on one. */
static enum status print_tokens(struct encoder *e, struct token_list *list,
                                const char *text, size_t len, size_t at, char separator,
                                struct err *err)
{
    list->n = 0;
    enum status st = encoder_add(e, list, text, len, at, err);
    for (size_t i = 0; !st && i < list->n; i++)
        printf("%u%c", list->id[i], i + 1 < list->n ? separator : '\n');
    if (!st && !list->n && separator == ' ')
        putchar('\n');
    return st;
}

static enum status print_file(struct encoder *e, const char *text, size_t len,
                              bool by_null, struct err *err)
{
    struct token_list list = {0};
    enum status st = STATUS_OK;
    if (!by_null)
        st = print_tokens(e, &list, text, len, 0, '\n', err);
    for (size_t at = 0; by_null && at < len && !st;) {
        const char *end = memchr(text + at, '\0', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        st = print_tokens(e, &list, text + at, n, at, ' ', err);
        at += n + 1;
    }
    token_list_release(&list);
    return st;
}

/* The tokenizer, and the whole file. */
static enum status open_both(struct tokenizer *t, char **text, size_t *len,
                             const struct args *args, struct err *err)
{
    const char *path;
    enum status st = data_only_input(&path, args, err);
    if (!st)
        st = open_tokenizer(t, args, err);
    if (st)
        return st;
    st = file_read(text, len, path, TEXT_MAX_BYTES, err);
    if (st)
        tokenizer_release(t);
    return st;
}

enum status data_tokens(const struct args *args, struct err *err)
{
    struct tokenizer t = {0};
    char *text = NULL;
    size_t len = 0;
    enum status st = open_both(&t, &text, &len, args, err);
    if (st)
        return st;
    struct encoder *e = encoder_new(&t);
    st = print_file(e, text, len, args_has(args, "null"), err);
    encoder_free(e);
    mem_free(text);
    tokenizer_release(&t);
    return st;
}

static enum status print_text(const struct tokenizer *t, char *numbers, struct err *err)
{
    for (char *p = numbers + strspn(numbers, WHITE); *p; p += strspn(p, WHITE)) {
        char *end;
        errno = 0;
        unsigned long long id = strtoull(p, &end, 10);
        if (*p < '0' || *p > '9' || errno || id >= t->n)
            return err_set_at(err, STATUS_INPUT, p - numbers,
                              "byte %zu: no token of 0 … %zu stands there",
                              (size_t)(p - numbers), t->n - 1);
        size_t len;
        const char *bytes = tokenizer_bytes(t, (token_id)id, &len);
        fwrite(bytes, 1, len, stdout);
        p = end;
    }
    return STATUS_OK;
}

enum status data_text(const struct args *args, struct err *err)
{
    struct tokenizer t = {0};
    char *numbers = NULL;
    size_t len = 0;
    enum status st = open_both(&t, &numbers, &len, args, err);
    if (st)
        return st;
    st = print_text(&t, numbers, err);
    mem_free(numbers);
    tokenizer_release(&t);
    return st;
}
#endif
