/*
 * A job of many ranks from few: writes N run files, FOLDER/rank-00000.gait and so on. Rank
 * i is a copy of RUN i mod (number of RUNs) that says it is rank i of N. So reading,
 * merging and exporting cost what N distinct ranks cost; what ranks are told of each
 * other (waits, the straggler) is that of the few.
 *
 *     multiply_ranks [--rank I] FOLDER N RUN…     with --rank: rank I alone, of the first RUN
 */
#include "base/mem.h"
#include "run/run_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum status st, const struct err *err)
{
    if (!st)
        return;
    fprintf(stderr, "multiply_ranks: %s\n", err->text);
    exit((int)st);
}

static void write_rank(struct run *run, const char *folder, int rank, int ranks)
{
    struct err err = ERR_INIT;
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/rank-%05d.gait", folder, rank);
    run->ranks.rank[0] = rank;
    run->ranks.world[0] = ranks;
    check(run_save(run, path.s, &err), &err);
    strbuf_release(&path);
}

int main(int argc, char **argv)
{
    bool one = argc > 2 && !strcmp(argv[1], "--rank");
    int only = one ? atoi(argv[2]) : -1;
    argv += one ? 2 : 0;
    argc -= one ? 2 : 0;
    int ranks = argc > 3 ? atoi(argv[2]) : 0, few = argc - 3;
    if (ranks < 1) {
        fprintf(stderr, "usage: multiply_ranks [--rank I] FOLDER N RUN…\n");
        return 2;
    }
    for (int k = 0; k < (one ? 1 : few) && k < ranks; k++) {
        struct err err = ERR_INIT;
        struct run run;
        run_init(&run);
        check(run_load(&run, argv[3 + k], RUN_PARTS_ALL, &err), &err);
        if (run.ranks.table.n != 1) {
            fprintf(stderr, "multiply_ranks: %s holds %zu ranks, not one\n", argv[3 + k],
                    run.ranks.table.n);
            return 2;
        }
        for (int i = one ? only : k; i < (one ? only + 1 : ranks); i += few)
            write_rank(&run, argv[1], i, ranks);
        run_release(&run);
    }
    return 0;
}
