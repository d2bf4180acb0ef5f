/*
 * Any bytes as a file of tokens of each width, and as the index of prepared data. What is
 * taken can be read to the end, its largest token is the largest, and no file name of an
 * index leads out of its folder.
 */
#include "base/mem.h"
#include "data/prepared_index.h"
#include "data/token_file.h"
#include "memory_file.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct memory_file file;
static struct memory_folder folder;

static void remove_folder(void)
{
    memory_folder_remove(&folder);
}

static void check_range(const struct token_range *r, size_t size)
{
    struct err err = ERR_INIT;
    uint32_t largest = token_range_max(r);
    if (!r->n || r->n > size)
        abort();
    int32_t *token = mem_zalloc(r->n, sizeof *token);
    enum status st = token_range_copy(r, token, 0, r->n, (size_t)largest + 1, &err);
    if (st)
        abort();
    if (largest && !token_range_copy(r, token, 0, r->n, largest, &err))
        abort();
    mem_free(token);
}

static void read_tokens(const char *path, int width, size_t size)
{
    struct token_file f;
    struct err err = ERR_INIT;
    if (token_file_open(&f, path, width, &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
        return;
    }
    struct token_range r = {0};
    token_range_add(&r, f.piece);
    check_range(&r, size);
    token_range_release(&r);
    token_file_close(&f);
}

static void check_shards(const struct prepared_shards *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->item[i].tokens || !*s->item[i].file || *s->item[i].file == '.' ||
            strchr(s->item[i].file, '/'))
            abort();
}

static void read_index(void)
{
    struct prepared_index x;
    struct err err = ERR_INIT;
    if (prepared_index_read(&x, folder.path, &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
        return;
    }
    check_shards(&x.train);
    check_shards(&x.validation);
    if ((x.width != 2 && x.width != 4) || !x.vocabulary)
        abort();
    prepared_index_release(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = memory_file_set(&file, data, size);
    if (!*folder.path) {
        memory_folder_init(&folder);
        memory_folder_add(&folder, PREPARED_INDEX_NAME, &file);
        atexit(remove_folder);
    }
    for (int width = 0; width <= 4; width += 2)
        read_tokens(path, width, size);
    read_index();
    return 0;
}
