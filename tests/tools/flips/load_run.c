/* Runs. */
#include "load_files.h"
#include "load_parts.h"

#include "base/strbuf.h"
#include "run/run_file.h"
#include "run/table_def.h"

#include <string.h>

static void hash_table(struct content_hash *hash, const struct run *r, int which)
{
    const struct table *t = run_table_const(r, which);
    const struct table_def *def = &run_table_def[which];
    hash_size(hash, t->n);
    for (size_t i = 0; i < def->n_columns; i++)
        content_hash_add(hash, column_data(t, &def->columns[i]),
                         t->n * def->columns[i].size);
}

enum status load_run(struct content_hash *hash, const char *folder, struct err *err)
{
    struct run r;
    struct strbuf path;
    run_init(&r);
    strbuf_init(&path);
    strbuf_printf(&path, "%s/run.gait", folder);
    enum status st = run_load(&r, path.s, RUN_PARTS_ALL, err);
    for (int t = 0; !st && t < RUN_TABLE_COUNT; t++)
        hash_table(hash, &r, t);
    for (name_id i = 0; !st && i < r.names.n; i++) {
        const char *text = run_name(&r, i);
        content_hash_add(hash, text, strlen(text) + 1);
    }
    strbuf_release(&path);
    run_release(&r);
    return st;
}
