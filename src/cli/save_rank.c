#include "cli/save_rank.h"

#include "base/log.h"
#include "cli/output_word.h"
#include "run/run_file.h"

#include <string.h>

static bool has_ranks(const struct run *run)
{
    return run->ranks.table.n && run->ranks.world[0] > 1;
}

bool is_first_rank(const struct run *run)
{
    return !has_ranks(run) || run->ranks.rank[0] <= 0;
}

enum status save_rank(struct strbuf *name, const struct run *run, const char *path,
                      struct err *err)
{
    size_t len = strlen(path);
    bool suffix = len > 5 && !strcmp(path + len - 5, ".gait");
    strbuf_clear(name);
    if (has_ranks(run)) {
        strbuf_add(name, path, suffix ? len - 5 : len);
        strbuf_printf(name, ".rank%d.gait", (int)run->ranks.rank[0]);
    } else {
        strbuf_puts(name, path);
    }
    const char *wrote = output_word(name->s);
    enum status st = run_save(run, name->s, err);
    if (!st)
        log_line("%s %s", wrote, name->s);
    return st;
}
