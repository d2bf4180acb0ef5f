/* A reader's own question, answered by replaying the run with the change. */
#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/read_options.h"
#include "cli/show_analysis.h"
#include "load/load_runs.h"

#include <stdint.h>
#include <string.h>

struct request {
    const char **path; /* (n_paths) */
    size_t n_paths;
    struct question *question; /* (n) */
    size_t n;
};

static void request_release(struct request *r)
{
    mem_free(r->path);
    mem_free(r->question);
}

/* A word that is neither a file nor a question, but looks as if it were meant as one. */
static bool is_odd(const char *word)
{
    bool like_a_path = strpbrk(word, "./") || !strcmp(word, "-");
    return (strpbrk(word, " =") || !like_a_path) && !file_exists(word);
}

static enum status read_request(struct request *r, const struct args *args,
                                struct err *err)
{
    r->path = mem_alloc((args->n_operands + 1) * sizeof *r->path);
    r->question = mem_alloc((args->n_operands + 1) * sizeof *r->question);
    for (size_t i = 0, used; i < args->n_operands; i += used) {
        const char *word = args->operands[i];
        used = 1;
        const char *near = question_near(word);
        if (near && !question_begins(word) && !file_exists(word))
            return err_set(err, STATUS_USAGE,
                           "there is no file and no question %.80s; did you mean %s?",
                           word, near);
        if (!question_begins(word) && !is_odd(word)) {
            r->path[r->n_paths++] = word;
            continue;
        }
        enum status st = question_parse(&r->question[r->n], &used, args->operands + i,
                                        args->n_operands - i, err);
        if (st)
            return st;
        r->n++;
    }
    if (!r->n)
        return err_set(err, STATUS_USAGE,
                       "whatif needs a question; for example: gait whatif trace.json.gz "
                       "'remove op:aten::item'");
    if (!r->n_paths)
        return err_set(err, STATUS_USAGE,
                       "whatif needs a run or a trace too; for example: gait whatif "
                       "trace.json.gz 'remove op:aten::item'");
    return STATUS_OK;
}

static enum status answer(struct strbuf *out, const struct run *run,
                          const struct request *r, enum report_format format,
                          const struct report_options *o, struct err *err)
{
    struct analysis *a = analysis_new(run);
    struct answers *answers = answers_new(run, a, r->question, r->n, err);
    enum status st = answers ? STATUS_OK : err->status;
    if (answers)
        report_answers(out, a, answers, format, o);
    if (answers && answers->n_refused) {
        *err = answers->refused[0].err;
        st = err->status;
    }
    answers_free(answers);
    analysis_free(a);
    return st;
}

static enum status load_and_answer(const struct request *r, const struct args *args,
                                   struct err *err)
{
    struct load_options load = load_for_findings;
    struct load_result loaded;
    struct run run;
    struct strbuf out;
    struct report_options o = for_screen(
        &(struct report_options){.subject = r->n_paths == 1 ? r->path[0] : NULL});
    enum report_format format;
    enum status st = read_options(&load, args, err);
    if (!st)
        st = json_or_brief(&format, args, err);
    if (st)
        return st;
    run_init(&run);
    strbuf_init(&out);
    st = load_runs(&run, &loaded, r->path, r->n_paths, &load, err);
    if (!st)
        st = answer(&out, &run, r, format, &o, err);
    if (out.len) {
        show_text(&out);
        damage_warnings(&run);
    }
    if (!st)
        st = load_status(&loaded, err);
    strbuf_release(&out);
    run_release(&run);
    return st;
}

static enum status cmd_whatif(const struct args *args, struct err *err)
{
    struct request r = {0};
    enum status st = read_request(&r, args, err);
    if (!st)
        st = load_and_answer(&r, args, err);
    request_release(&r);
    return st;
}

static const struct option options[] = {
    JSON_OPTIONS("the answers as JSON (docs/whatif.md)"),
    READ_OPTIONS,
};

const struct command command_whatif = {
    .name = "whatif",
    .run = cmd_whatif,
    .summary = "what a step would take if …: a question of your own",
    .operands = "RUN|TRACE… QUESTION…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "Questions:\n"
        "  'remove WHAT'           these spans and all that they called and launched\n"
        "  'scale WHAT FACTOR'     they take so many times as long\n"
        "  no-wait                 the host waits for nothing\n"
        "  no-loader               the next batch is always there\n"
        "  batch=2x                a larger batch: from no more work to twice as much\n"
        "  'ranks=64 net=25GB/s'   collectives as rings of so many ranks\n"
        "WHAT is op:NAME, call:NAME, range:NAME, frame:NAME, kernel:NAME, copy:NAME or\n"
        "collective:NAME; * stands for any text. Several questions are answered each "
        "alone\n"
        "and all together. What is changed and what is assumed: docs/whatif.md",
    .example = "whatif trace.json.gz 'remove op:aten::item' 'scale kernel:*gemm* 0.5'",
};
