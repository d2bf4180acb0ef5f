#include "load/shown_detail.h"

#include "analyze/analysis.h"
#include "base/log.h"
#include "load/load_one.h"

/* The file that holds the rank which stands for the job; files->n: there is none. */
static size_t shown_file(const struct run *run, const struct path_list *files,
                         const struct run_place *place)
{
    struct analysis *a = analysis_new(run);
    size_t file = files->n;
    if (a->n_ranks) {
        size_t row = (size_t)a->ranks[a->shown].row;
        for (file = 0; row >= place[file + 1].ranks;)
            file++;
    }
    analysis_free(a);
    return file;
}

static bool holds_as_many(const struct run *one, const struct run_place *from,
                          const struct run_place *to)
{
    struct run_place n = run_place_of(one);
    return n.ranks == to->ranks - from->ranks && n.lanes == to->lanes - from->lanes &&
           n.steps == to->steps - from->steps;
}

void shown_detail_add(struct run *run, const struct path_list *files,
                      const struct run_place *place, const struct load_options *options)
{
    struct err err = ERR_INIT;
    struct run one;
    size_t file = shown_file(run, files, place);
    if (file == files->n)
        return;
    run_init(&one);
    if (load_one(&one, files->path[file], options, NULL, &err))
        log_line("gait: warning: %s", err.text);
    else if (!holds_as_many(&one, &place[file], &place[file + 1]))
        log_line("gait: warning: %s changed while it was read: no findings",
                 files->path[file]);
    else
        run_merge_detail(run, &one, &place[file]);
    run_release(&one);
}
