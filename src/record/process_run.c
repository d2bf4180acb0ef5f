#include "record/process_run.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "record/flow_file.h"
#include "record/process_rows.h"
#include "record/round_choice.h"
#include "run/record_facts.h"
#include "trace/trace_reader.h"

#include <stdio.h>

static enum status read_trace(struct run *run, const struct json *round,
                              const char *folder, bool only_steps, struct err *err)
{
    struct trace_options options = {.only_steps = only_steps};
    char *path = path_join(
        folder, json_string_or(contract_get(round, RECORD_KEY_ROUND_TRACE), ""));
    enum status st = trace_read(run, path, &options, err);
    mem_free(path);
    return st;
}

/* Python frames slow a step down too much for its times to count, but they tell where
 * operators come from: only that is taken from the round that has them. */
static enum status add_sites(struct run *run, const struct json *round,
                             const char *folder, struct err *err)
{
    struct run other;
    run_init(&other);
    enum status st = read_trace(&other, round, folder, false, err);
    for (size_t i = 0; !st && i < other.sites.table.n; i++) {
        struct site s = sites_get(&other.sites, i);
        s.rank = 0;
        s.op = names_add_z(&run->names, run_name(&other, s.op));
        s.module = names_add_z(&run->names, run_name(&other, s.module));
        s.line = names_add_z(&run->names, run_name(&other, s.line));
        sites_add(&run->sites, s);
    }
    run_release(&other);
    return st;
}

static void fill_rank(struct run *one, const struct process_file *p)
{
    const struct json *facts = contract_get(p->root, RECORD_KEY_FILE_FACTS);
    struct ranks *r = &one->ranks;
    r->rank[0] = p->rank;
    if (p->world)
        r->world[0] = p->world;
    const char *script =
        json_string_or(json_get(facts, record_fact_def[RECORD_FACT_SCRIPT].name), "");
    if (*script) /* the trace itself is gone when this is read */
        r->path[0] = names_add_z(&one->names, script);
    if (!*run_name(one, r->framework[0])) {
        const char *torch =
            json_string_or(json_get(facts, record_fact_def[RECORD_FACT_TORCH].name), "");
        r->framework[0] = names_add_z(&one->names, torch);
    }
}

static void add_round(struct run *one, enum record_fact fact, int round)
{
    run_add_fact(one, 0, record_fact_def[fact].key, round, "", ORIGIN_MEASURED,
                 record_fact_def[fact].meaning);
}

/* A job that was not watched has no such file; one that cannot be read costs only what it
 * would have told. */
static void add_flow(struct run *one, const struct process_file *p, const char *folder)
{
    char name[64];
    struct err err = ERR_INIT;
    snprintf(name, sizeof name, "flow-%lld.bin", (long long)p->pid);
    char *path = path_join(folder, name);
    if (!file_is_absent(path) && flow_file_add(one, path, &err))
        run_add_note(one, 0, -1, "the data flow was not read: %s", err.text);
    mem_free(path);
}

/* The tracer starts a step before the first that is marked: what lies there is left out,
 * or sums over the recording would be of more steps than it counts. */
static enum status fill(struct run *one, const struct process_file *p, int plain,
                        const char *folder, struct err *err)
{
    int stacks = round_with_stacks(p);
    enum status st = read_trace(one, round_at(p, plain), folder, true, err);
    if (!st && stacks != ROUND_NONE)
        st = add_sites(one, round_at(p, stacks), folder, err);
    if (st)
        return st;
    fill_rank(one, p);
    add_round(one, RECORD_FACT_DETAIL_ROUND, plain);
    if (stacks != ROUND_NONE)
        add_round(one, RECORD_FACT_SITES_ROUND, stacks);
    add_flow(one, p, folder);
    return process_rows_add(one, p, err);
}

enum status process_run_add(struct run *run, const struct process_file *p, int round,
                            const char *folder, struct err *err)
{
    const struct json *rounds;
    enum status st = process_file_list(p, RECORD_KEY_FILE_ROUNDS, &rounds, err);
    if (st)
        return st;
    if (round == ROUND_NONE)
        round = round_choose(&p, 1);
    if (round == ROUND_NONE)
        return err_set(err, STATUS_INPUT, "process %lld has no traced steps",
                       (long long)p->pid);
    struct run one;
    run_init(&one);
    st = fill(&one, p, round, folder, err);
    if (!st)
        run_merge(run, &one);
    else
        err_prefix(err, "process %lld", (long long)p->pid);
    run_release(&one);
    return st;
}
