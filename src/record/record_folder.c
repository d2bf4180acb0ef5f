#include "record/record_folder.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "record/process_run.h"
#include "record/round_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 4096 };

struct processes {
    struct process_file *p; /* (n) */
    size_t n, cap;
};

void record_outcome_release(struct record_outcome *o)
{
    strbuf_release(&o->why);
}

static void say(struct record_outcome *o, const char *sentence)
{
    if (o->why.len)
        strbuf_puts(&o->why, " ");
    strbuf_puts(&o->why, sentence);
}

static bool is_process_file(const char *name)
{
    static const char begin[] = "process-", end[] = ".json";
    size_t len = strlen(name);
    return len > sizeof begin - 1 + sizeof end - 1 &&
           !strncmp(name, begin, sizeof begin - 1) &&
           !strcmp(name + len - (sizeof end - 1), end);
}

bool record_folder_is(const char *path)
{
    struct folder_reader f;
    bool found = false;
    folder_open(&f, path);
    for (const char *name; !found && (name = folder_next(&f));)
        found = is_process_file(name);
    folder_close(&f, NULL);
    return found;
}

/* A file that is not as it should be is told, and the others are still read. */
static void open_one(struct processes *all, struct record_outcome *out,
                     const char *folder, const char *name)
{
    struct strbuf path;
    struct err err = ERR_INIT;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, name);
    vec_grow(all->p, all->cap, all->n + 1);
    if (!process_file_open(&all->p[all->n], path.s, &err)) {
        all->n++;
    } else {
        say(out, err.text);
        out->unread += err.status == STATUS_ENVIRONMENT; /* may go better another time */
    }
    strbuf_release(&path);
}

static enum status open_all(struct processes *all, struct record_outcome *out,
                            const char *folder, struct err *err)
{
    struct folder_reader f;
    folder_open(&f, folder);
    for (const char *name; all->n < PROCESSES_MAX && (name = folder_next(&f));)
        if (is_process_file(name))
            open_one(all, out, folder, name);
    return folder_close(&f, err);
}

/* By rank; of one rank the process that is known best comes first. */
static int compare_processes(const void *a, const void *b)
{
    const struct process_file *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->traced != y->traced)
        return x->traced > y->traced ? -1 : 1;
    if (x->steps != y->steps)
        return x->steps > y->steps ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static const char *why_not(const struct process_file *p, char *text, size_t size)
{
    long long steps = p->steps;
    switch (p->state) {
    case RECORD_STATE_STARTED:
        return "PyTorch was imported, but no torch.optim optimizer ever stepped.";
    case RECORD_STATE_RECORDING:
        return "The job was killed, or left with os._exit(), before the first round was "
               "complete; let it run longer.";
    case RECORD_STATE_JOB_PROFILES:
        return "The job uses a profiler itself, so it was left alone; analyze the traces "
               "that it writes.";
    case RECORD_STATE_FAILED:
        snprintf(text, size, "The recording failed: %s.", p->why);
        return text;
    default:
        snprintf(
            text, size,
            "The job ended after %lld optimizer step%s, too few for a round "
            "(docs/record.md: with the default options 18, of several ranks 26); let it "
            "run longer, or ask for fewer: --warmup N, --untraced N, --traced N.",
            steps, steps == 1 ? "" : "s");
        return text;
    }
}

/* The process that says most about why there is nothing. */
static const struct process_file *most_telling(const struct processes *all)
{
    const struct process_file *best = &all->p[0];
    for (size_t i = 1; i < all->n; i++)
        if (all->p[i].state != RECORD_STATE_STARTED &&
            (best->state == RECORD_STATE_STARTED || all->p[i].steps > best->steps))
            best = &all->p[i];
    return best;
}

static void say_why_nothing(struct record_outcome *out, const struct processes *all)
{
    char text[512];
    if (all->n) {
        const struct process_file *p = most_telling(all);
        out->steps = p->steps;
        say(out, why_not(p, text, sizeof text));
    } else if (!out->why.len) {
        say(out,
            "No Python of the job imported torch.optim, or it did not see PYTHONPATH: "
            "leave out python -I, -E and -S; containers: docs/record.md.");
    }
}

static void add_rank(struct run *run, struct record_outcome *out,
                     const struct process_file *p, int round, const char *folder)
{
    struct err err = ERR_INIT;
    if (process_run_add(run, p, round, folder, &err)) {
        say(out, err.text);
        out->unread++;
        return;
    }
    if (!out->ranks++)
        out->steps = p->steps;
    out->complete = out->complete && p->state == RECORD_STATE_COMPLETE;
}

static bool ended_alike(const struct process_file *a, const struct process_file *b)
{
    return a->state == b->state && a->steps == b->steps && a->traced == b->traced;
}

/* Once for ranks that ended alike, as those of one job mostly do. */
static void say_incomplete(struct record_outcome *out, const struct process_file **rank,
                           size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        const struct process_file *p = rank[i];
        for (end = i + 1; end < n && ended_alike(p, rank[end]); end++)
            ;
        if (p->state == RECORD_STATE_COMPLETE)
            continue;
        char who[64] = "The job", text[256];
        if (end - i > 1)
            snprintf(who, sizeof who, "Ranks %d to %d", p->rank, rank[end - 1]->rank);
        else if (n > 1)
            snprintf(who, sizeof who, "Rank %d", p->rank);
        bool short_job = p->state == RECORD_STATE_ENDED_EARLY;
        snprintf(text, sizeof text, "%s: %s after %lld steps; %zu round%s kept%s.", who,
                 record_state_text[p->state], (long long)p->steps, p->traced,
                 p->traced == 1 ? " was" : "s were",
                 short_job ? ", let it run longer for all" : "");
        say(out, text);
    }
}

static void add_ranks(struct run *run, struct record_outcome *out,
                      const struct processes *all, const char *folder)
{
    size_t others = 0, n = 0;
    const struct process_file **rank =
        mem_alloc((all->n + 1) * sizeof(const struct process_file *));
    for (size_t i = 0; i < all->n; i++) {
        if (!all->p[i].traced)
            continue;
        if (n && rank[n - 1]->rank == all->p[i].rank)
            others++;
        else
            rank[n++] = &all->p[i];
    }
    int round = round_choose(rank, n);
    if (n > 1 && round == ROUND_NONE)
        say(out,
            "The ranks traced no steps in common: each has spans of its own steps, and "
            "what they did together cannot be compared.");
    for (size_t i = 0; i < n; i++)
        add_rank(run, out, rank[i], round, folder);
    say_incomplete(out, rank, n);
    mem_free(rank);
    if (others) {
        char text[160];
        snprintf(text, sizeof text,
                 "%zu more process%s stepped an optimizer as the same rank: left out.",
                 others, others == 1 ? "" : "es");
        say(out, text);
    }
}

enum status record_folder_read(struct run *run, struct record_outcome *out,
                               const char *folder, struct err *err)
{
    struct processes all = {0};
    *out = (struct record_outcome){.complete = true};
    strbuf_init(&out->why);
    enum status st = open_all(&all, out, folder, err);
    if (!st) {
        if (all.n)
            qsort(all.p, all.n, sizeof *all.p, compare_processes);
        out->processes = all.n;
        add_ranks(run, out, &all, folder);
        if (!out->ranks && !out->unread)
            say_why_nothing(out, &all);
    }
    for (size_t i = 0; i < all.n; i++)
        process_file_close(&all.p[i]);
    mem_free(all.p);
    return st;
}
