/* A finding with its evidence and its fix; or all that was looked for. */
#include "base/file.h"
#include "base/nearest.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/graph_option.h"
#include "cli/read_options.h"
#include "cli/show_analysis.h"
#include "findings/findings.h"
#include "load/load_runs.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is to be explained: a number from 1, a rule, or neither: all rules. */
struct subject {
    size_t number;
    const struct rule *rule;
    size_t operands; /* it took so many of them */
};

static bool is_number(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    return digits && digits < 10 && !word[digits];
}

/* A file of that name wins: it can only be meant as one. */
static struct subject subject_of(const struct args *args)
{
    const char *word = args->operands[0];
    struct subject s = {0};
    if (file_exists(word))
        return s;
    s.rule = rule_named(word);
    if (is_number(word))
        s.number = strtoul(word, NULL, 10);
    s.operands = s.rule || is_number(word);
    return s;
}

/* A word that is no file and nearly a rule's name; NULL: it is none. */
static const char *near_rule(const char *word)
{
    enum { EDITS_MAX = 3 };
    const char *best = NULL;
    int least = EDITS_MAX + 1;
    if (file_exists(word) || strlen(word) <= 2 * EDITS_MAX || strpbrk(word, "./*?["))
        return NULL;
    for (size_t i = 0; i < rule_count; i++) {
        int edits = edit_distance(word, rule_table[i].name);
        if (edits < least) {
            least = edits;
            best = rule_table[i].name;
        }
    }
    return best;
}

/* Words that are no files, in places where only files are taken. */
static enum status check_words(const struct args *args, const struct subject *s,
                               struct err *err)
{
    for (size_t i = s->operands; i < args->n_operands; i++) {
        const char *word = args->operands[i];
        if (i && !file_exists(word) && (is_number(word) || rule_named(word)))
            return err_set(err, STATUS_USAGE, "the %s goes first: gait explain %s %s",
                           is_number(word) ? "number" : "rule", word,
                           args->operands[s->operands]);
        const char *near = near_rule(word);
        if (!i && args->n_operands > 1 && !near && !file_exists(word) &&
            !strpbrk(word, "./*?[@"))
            return err_set(err, STATUS_USAGE,
                           "there is no file and no rule %.80s; gait explain %s lists "
                           "the rules",
                           word, args->operands[1]);
        if (near)
            return err_set(err, STATUS_USAGE,
                           "there is no file and no rule %.80s; did you mean %s?", word,
                           near);
    }
    return STATUS_OK;
}

static enum status no_such_finding(const struct subject *s, const struct findings *f,
                                   struct err *err)
{
    if (!f->possible)
        return err_set(err, STATUS_USAGE,
                       "there is no finding %zu: %s, and findings come from replaying "
                       "spans",
                       s->number, no_replay_text[f->why_not]);
    if (!f->n)
        return err_set(err, STATUS_USAGE,
                       "there is no finding %zu: nothing was found, %zu causes were "
                       "checked; leave the number out to see which",
                       s->number, f->checked);
    return err_set(
        err, STATUS_USAGE,
        "there is no finding %zu: they are numbered 1 to %zu; leave the number "
        "out to see all",
        s->number, f->n);
}

static enum status explain(struct strbuf *out, const struct run *run, struct subject s,
                           enum report_format format, struct report_options *o,
                           struct err *err)
{
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    enum status st = STATUS_OK;
    o->findings = f;
    /* on a screen the first finding of a rule says more than the rule */
    for (size_t i = 0; i < f->n && s.rule && !s.number && format != REPORT_JSON; i++)
        if (f->finding[i].rule == s.rule)
            s.number = i + 1;
    if (s.number && s.number <= f->n)
        report_finding(out, a, s.number - 1, format, o);
    else if (s.number || (s.operands && !s.rule))
        st = no_such_finding(&s, f, err);
    else
        report_rules(out, a, s.rule, format, o);
    findings_free(f);
    analysis_free(a);
    return st;
}

static enum status cmd_explain(const struct args *args, struct err *err)
{
    struct subject s = subject_of(args);
    struct load_options load = load_for_findings;
    struct load_result loaded;
    struct run run;
    struct strbuf out;
    enum status st = read_options(&load, args, err);
    if (st)
        return st;
    if (args->n_operands == s.operands)
        return err_set(err, STATUS_USAGE,
                       "explain needs a run or a trace after \"%s\"; for example: gait "
                       "explain 1 trace.json.gz",
                       args->operands[0]);
    st = check_words(args, &s, err);
    if (st)
        return st;
    const char *const *paths = args->operands + s.operands;
    size_t n = args->n_operands - s.operands;
    struct report_options o = for_screen(&(struct report_options){
        .subject = n == 1 ? paths[0] : NULL, .graph = graph_option(args)});
    run_init(&run);
    strbuf_init(&out);
    st = load_runs(&run, &loaded, paths, n, &load, err);
    if (!st)
        st = graph_option_add(&run, args, err);
    if (!st)
        st = explain(&out, &run, s,
                     args_has(args, "json") ? REPORT_JSON : REPORT_TERMINAL, &o, err);
    if (!st) {
        show_text(&out);
        damage_warnings(&run);
        st = load_status(&loaded, err);
    }
    strbuf_release(&out);
    run_release(&run);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the rules and findings as JSON (docs/explain.md)"},
    GRAPH_OPTION,
    READ_OPTIONS,
};

const struct command command_explain = {
    .name = "explain",
    .run = cmd_explain,
    .summary = "a finding's evidence, price and fix; or all causes looked for",
    .operands = "[N|RULE] RUN|TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "N is a finding's number in `gait analyze`, RULE the name of a rule. Without\n"
        "either: every rule, and whether it found something, found nothing, or what\n"
        "the run lacks to ask it. docs/explain.md",
    .example = "explain 1 trace.json.gz",
};
