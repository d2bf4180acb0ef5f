#include "data/dataset.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "data/data_dir.h"
#include "data/dataset_parts.h"
#include "data/prepared_index.h"

#include <math.h>
#include <string.h>

const char *const dataset_kind_text[DATASET_KIND_COUNT] = {
#define DATASET_KIND_TEXT(v, text) [DATASET_##v] = (text),
    DATASET_KIND_LIST(DATASET_KIND_TEXT)
#undef DATASET_KIND_TEXT
};

bool dataset_tokenizer_is_auto(const struct dataset_options *o)
{
    return !o->tokenizer || !*o->tokenizer || !strcmp(o->tokenizer, "auto");
}

enum status dataset_split(struct dataset *d, const struct dataset_options *o,
                          struct err *err)
{
    size_t all = d->train.n + d->validation.n, least = o->context + 1;
    size_t held = d->validation.n;
    if (!d->validation.n)
        held = (size_t)llround((double)all * o->validation_fraction);
    size_t train = all - held;
    if (train < least || held < least)
        return err_set(err, STATUS_INPUT,
                       "%s has %zu tokens: %zu to train and %zu to validate, and each "
                       "part needs context + 1 = %zu; use a longer text, a smaller "
                       "context or another validation_fraction",
                       o->name, all, train, held, least);
    if (!d->validation.n) {
        struct token_range whole = d->train;
        d->train = (struct token_range){0};
        token_range_add_part(&d->train, &whole, 0, train);
        token_range_add_part(&d->validation, &whole, train, held);
        token_range_release(&whole);
    }
    d->n = all;
    return STATUS_OK;
}

enum status dataset_add_file(struct dataset *d, struct token_range *to, const char *path,
                             int width, const struct prepared_shard *shard,
                             struct err *err)
{
    struct token_file file;
    enum status st = token_file_open(&file, path, width, err);
    if (st)
        return st;
    if (shard && file.piece.n != shard->tokens) {
        st =
            err_set(err, STATUS_INPUT,
                    "%s holds %zu tokens, and %s says %llu; prepare the data again", path,
                    file.piece.n, PREPARED_INDEX_NAME, (unsigned long long)shard->tokens);
        token_file_close(&file);
        return st;
    }
    if (shard && shard->hashes)
        token_file_check(&file, shard->hashes);
    vec_grow(d->file, d->cap_files, d->files + 1);
    d->file[d->files++] = file;
    token_range_add(to, file.piece);
    return STATUS_OK;
}

static enum status open_file(struct dataset *d, const struct dataset_options *o,
                             const char *path, struct err *err)
{
    if (folder_name_ends(path, ".pkl") || folder_name_ends(path, ".pickle"))
        return err_set(err, STATUS_INPUT,
                       "%s is a pickle, which is a program and never read; name the .bin "
                       "beside it, or a text",
                       path);
    if (!folder_name_ends(path, ".bin"))
        return dataset_open_text(d, o, &path, 1, err);
    struct folder_list one;
    folder_list_one(&one, path);
    char *dir = path_folder(path);
    enum status st = dataset_open_tokens(d, o, dir, &one, err);
    mem_free(dir);
    folder_list_release(&one);
    return st;
}

static enum status open_folder(struct dataset *d, const struct dataset_options *o,
                               const char *dir, struct err *err)
{
    struct folder_list bins = {0}, texts = {0};
    if (prepared_index_is_in(dir))
        return dataset_open_prepared(d, o, dir, err);
    enum status st = folder_list_read(&bins, dir, ".bin", err);
    if (!st && !bins.n)
        st = folder_list_read(&texts, dir, ".txt", err);
    if (!st && bins.n)
        st = dataset_open_tokens(d, o, dir, &bins, err);
    else if (!st && texts.n)
        st = dataset_open_text(d, o, (const char *const *)texts.path, texts.n, err);
    else if (!st)
        st = err_set(err, STATUS_INPUT,
                     "the folder %s has no %s, no *.bin and no *.txt; name a folder that "
                     "has, or a file",
                     dir, PREPARED_INDEX_NAME);
    folder_list_release(&bins);
    folder_list_release(&texts);
    return st;
}

/* The text of nanoGPT's shakespeare_char under the names that it goes by. */
static enum status open_shakespeare(struct dataset *d, const struct dataset_options *o,
                                    struct err *err)
{
    static const char *const names[] = {"tinyshakespeare.txt", "input.txt",
                                        "shakespeare.txt"};
    const char *dir = data_dir_or_default(o->data_dir);
    for (size_t i = 0; *dir && i < sizeof names / sizeof *names; i++) {
        char *path = path_join(dir, names[i]);
        bool there = file_exists(path);
        enum status st = there ? open_file(d, o, path, err) : STATUS_OK;
        mem_free(path);
        if (there)
            return st;
    }
    if (!*dir)
        return err_set(err, STATUS_INPUT,
                       "the data set shakespeare needs to know where its text lies: set "
                       "data_dir (or the environment's GAIT_DATA) to the folder with "
                       "tinyshakespeare.txt");
    return err_set(err, STATUS_INPUT,
                   "no tinyshakespeare.txt, input.txt or shakespeare.txt in %s; put it "
                   "there (nanoGPT's data/shakespeare_char fetches it), or set data_dir "
                   "to where it lies",
                   dir);
}

static enum status open_source(struct dataset *d, const struct dataset_options *o,
                               struct err *err)
{
    if (!strcmp(o->name, "builtin"))
        return dataset_open_builtin(d, o, err);
    if (!strcmp(o->name, "shakespeare"))
        return open_shakespeare(d, o, err);
    if (file_is_absent(o->name))
        return err_set(err, STATUS_INPUT,
                       "there is no data set %s; name a text file, a folder of *.txt or "
                       "one of gait data prepare, or builtin",
                       o->name);
    if (file_is_dir(o->name))
        return open_folder(d, o, o->name, err);
    return open_file(d, o, o->name, err);
}

enum status dataset_open(struct dataset *d, const struct dataset_options *o,
                         struct err *err)
{
    if (!(o->validation_fraction > 0 && o->validation_fraction < 1))
        BUG("validation_fraction %g", o->validation_fraction);
    *d = (struct dataset){.entropy_nats_per_char = NAN, .validation_nats_per_char = NAN};
    enum status st = open_source(d, o, err);
    if (!st && d->vocabulary > TOKENIZER_VOCABULARY_MAX)
        st =
            err_set(err, STATUS_INPUT, "%s has a vocabulary of %zu, and 2^31 is the most",
                    o->name, d->vocabulary);
    if (!st && d->kind != DATASET_BUILTIN)
        st = dataset_split(d, o, err);
    if (st)
        dataset_close(d);
    return st;
}

enum status dataset_check(const struct dataset *d, const char *name, struct err *err)
{
    size_t hashed = 0;
    for (size_t i = 0; i < d->files; i++)
        hashed += d->file[i].check != NULL;
    if (!hashed || hashed < d->files)
        return err_set(err, STATUS_INPUT,
                       "%s has no hashes to be compared with; data that this gait "
                       "prepares has: gait data prepare",
                       name);
    enum status st = token_range_check(&d->train, err);
    return st ? st : token_range_check(&d->validation, err);
}

void dataset_close(struct dataset *d)
{
    tokenizer_release(&d->tokenizer);
    token_range_release(&d->train);
    token_range_release(&d->validation);
    for (size_t i = 0; i < d->files; i++)
        token_file_close(&d->file[i]);
    mem_free(d->file);
    mem_free(d->tokens);
    *d = (struct dataset){0};
}
