#include "data/prepare.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder_reader.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "base/units.h"
#include "data/encode_pool.h"
#include "data/folder_list.h"
#include "data/shard_writer.h"
#include "data/text_reader.h"
#include "data/tokenizer_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t STATUS_PERIOD_NS = 100000000; /* ten times a second is enough */
static const int64_t LINE_PERIOD_NS = 30000000000; /* off a terminal */
enum { BAR_CELLS = 20 };

struct preparing {
    const struct prepare_options *o;
    struct prepare_result *result;
    struct tokenizer tokenizer;
    struct folder_list files; /* all documents */
    uint64_t all_bytes;
    int64_t separator; /* token, -1: none */
    struct text_reader reader;
    struct shard_writer train, validation;
    char *work_dir; /* the folder under a temporary name; NULL: not made yet */
    int64_t begin_ns;
    int64_t encode_ns; /* when the first text was read: what rates count from */
    int64_t drawn_ns;
};

static enum status add_document(struct preparing *p, const char *path, struct err *err)
{
    struct stat s;
    if (stat(path, &s))
        return file_err(err, "read", path);
    if (!S_ISREG(s.st_mode))
        return err_set(err, STATUS_INPUT, "%s is not a regular file; name a text file",
                       path);
    vec_grow(p->files.path, p->files.cap, p->files.n + 1);
    p->files.path[p->files.n++] = mem_strdup(path);
    p->all_bytes += (uint64_t)s.st_size;
    return STATUS_OK;
}

static enum status add_folder(struct preparing *p, const char *dir, struct err *err)
{
    struct folder_list texts;
    enum status st = folder_list_read(&texts, dir, ".txt", err);
    if (!st && !texts.n)
        st =
            err_set(err, STATUS_INPUT,
                    "the folder %s has no *.txt; name its files, or another folder", dir);
    for (size_t i = 0; i < texts.n && !st; i++)
        st = add_document(p, texts.path[i], err);
    folder_list_release(&texts);
    return st;
}

static enum status find_documents(struct preparing *p, struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < p->o->inputs && !st; i++) {
        const char *input = p->o->input[i];
        st = file_is_dir(input) ? add_folder(p, input, err) : add_document(p, input, err);
    }
    return st;
}

static enum status open_tokenizer(struct preparing *p, struct err *err)
{
    const struct prepare_options *o = p->o;
    enum status st =
        !strcmp(o->tokenizer, "chars")
            ? text_reader_learn_chars(&p->tokenizer, (const char *const *)p->files.path,
                                      p->files.n, 0, err)
            : tokenizer_open(&p->tokenizer, o->tokenizer, o->data_dir, err);
    p->separator = -1;
    if (st || !o->separator)
        return st;
    p->separator = tokenizer_find(&p->tokenizer, o->separator, strlen(o->separator));
    if (p->separator < 0)
        return err_set(err, STATUS_USAGE,
                       "the tokenizer has no token \"%s\" to stand between documents; "
                       "name another, or none",
                       o->separator);
    return STATUS_OK;
}

/* "[########------------]" */
static void draw_bar(char bar[BAR_CELLS + 3], double done_frac)
{
    int cells = (int)(done_frac * BAR_CELLS);
    bar[0] = '[';
    memset(bar + 1, '#', (size_t)cells);
    memset(bar + 1 + cells, '-', (size_t)(BAR_CELLS - cells));
    memcpy(bar + 1 + BAR_CELLS, "]", 2);
}

static void say_progress(struct preparing *p)
{
    int64_t now_ns = clock_now_ns(), spent_ns = now_ns - p->encode_ns;
    bool terminal = log_on_terminal();
    if (now_ns - p->drawn_ns < (terminal ? STATUS_PERIOD_NS : LINE_PERIOD_NS))
        return;
    p->drawn_ns = now_ns;
    double bytes = (double)p->result->bytes, all = fmax((double)p->all_bytes, bytes);
    double frac = all > 0 ? bytes / all : 1;
    double left_ns = frac > 0 ? (double)spent_ns * (1 - frac) / frac : 0;
    char bar[BAR_CELLS + 3];
    draw_bar(bar, frac);
    void (*say)(const char *fmt, ...) = terminal ? log_status : log_line;
    say("%s %3.0f %%  %s of %s  %s/s  %s tokens  ETA %s", bar, 100 * frac,
        unit_bytes(bytes).s, unit_bytes(all).s,
        unit_bytes(bytes / ((double)spent_ns / 1e9)).s, unit_count((double)p->train.n).s,
        unit_ns_of(left_ns).s);
}

static enum status get_chunk(void *preparing, struct text_chunk *chunk, bool *end,
                             struct err *err)
{
    return text_reader_get(&((struct preparing *)preparing)->reader, chunk, end, err);
}

static enum status put_tokens(void *preparing, const struct text_chunk *chunk,
                              const struct token_list *tokens, struct err *err)
{
    struct preparing *p = preparing;
    enum status st = shard_writer_add(&p->train, tokens->id, tokens->n, err);
    if (!st && chunk->last) {
        token_id separator = (token_id)p->separator;
        p->result->documents++;
        if (p->separator >= 0)
            st = shard_writer_add(&p->train, &separator, 1, err);
    }
    p->result->bytes += chunk->len;
    say_progress(p);
    return st;
}

static enum status write_tokens(struct preparing *p, struct err *err)
{
    text_reader_files(&p->reader, &p->tokenizer, (const char *const *)p->files.path,
                      p->files.n, 0);
    struct encode_job job = {&p->tokenizer, p->o->threads, get_chunk, put_tokens, p};
    p->encode_ns = p->drawn_ns = clock_now_ns();
    enum status st = encode_pool_run(&job, err);
    log_status_clear();
    if (!st)
        st = shard_writer_end(&p->train, err);
    if (!st && !p->train.n)
        st = err_set(err, STATUS_INPUT, "the inputs hold no tokens; are they empty?");
    if (st)
        return st;
    uint64_t held = (uint64_t)llround((double)p->train.n * p->o->validation_fraction);
    return shard_writer_cut(&p->train, p->train.n - held, &p->validation, err);
}

static enum status write_index(const struct preparing *p, struct err *err)
{
    struct prepared_index x = {.width = p->train.width,
                               .vocabulary = p->tokenizer.n,
                               .train = p->train.shards,
                               .validation = p->validation.shards};
    char *tokenizer = path_join(p->work_dir, TOKENIZER_FILE_NAME);
    enum status st = tokenizer_save(&p->tokenizer, p->work_dir, err);
    if (!st)
        st = content_hash_file(&x.tokenizer, tokenizer, err);
    mem_free(tokenizer);
    return st ? st : prepared_index_write(&x, p->work_dir, err);
}

static enum status make_folder(struct preparing *p, struct err *err)
{
    const char *dir = p->o->dir;
    bool empty = true;
    if (file_is_dir(dir) && folder_is_empty(&empty, dir, err))
        return err->status;
    if (!empty)
        return err_set(err, STATUS_USAGE,
                       "the folder %s is not empty; choose another, or remove it", dir);
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/')
        len--;
    char *plain = mem_strndup(dir, len);
    enum status st = new_folder_make(&p->work_dir, plain, err);
    mem_free(plain);
    return st;
}

/* The folder gets its name when all is in it, or goes. */
static enum status end_folder(struct preparing *p, enum status st, struct err *err)
{
    if (!p->work_dir)
        return st;
    if (!st && rename(p->work_dir, p->o->dir))
        st = file_err(err, "write", p->o->dir);
    if (st)
        folder_remove(p->work_dir);
    leftover_forget(p->work_dir);
    mem_free(p->work_dir);
    return st;
}

static void fill_result(const struct preparing *p)
{
    struct prepare_result *r = p->result;
    r->train_tokens = p->train.n;
    r->validation_tokens = p->validation.n;
    r->shards = p->train.shards.n + p->validation.shards.n;
    r->vocabulary = p->tokenizer.n;
    r->width = p->train.width;
    r->wall_ns = clock_now_ns() - p->begin_ns;
}

enum status prepare_run(const struct prepare_options *o, struct prepare_result *result,
                        struct err *err)
{
    struct preparing p = {.o = o, .result = result, .begin_ns = clock_now_ns()};
    *result = (struct prepare_result){0};
    text_reader_files(&p.reader, &p.tokenizer, NULL, 0, 0);
    enum status st = find_documents(&p, err);
    if (!st)
        st = open_tokenizer(&p, err);
    if (!st)
        st = make_folder(&p, err);
    int width = p.tokenizer.n <= 1 << 16 ? 2 : 4;
    shard_writer_init(&p.train, p.work_dir, "train", width, o->shard_tokens);
    shard_writer_init(&p.validation, p.work_dir, "val", width, o->shard_tokens);
    if (!st)
        st = write_tokens(&p, err);
    if (!st)
        st = write_index(&p, err);
    fill_result(&p);
    st = end_folder(&p, st, err);
    shard_writer_release(&p.train);
    shard_writer_release(&p.validation);
    text_reader_release(&p.reader);
    tokenizer_release(&p.tokenizer);
    folder_list_release(&p.files);
    return st;
}
