/* A finding with its evidence and its fix; or all that was looked for; or a rule of
 * `gait lint`, which needs no run. */
#include "base/file.h"
#include "base/nearest.h"
#include "cli/args.h"
#include "cli/damage_warnings.h"
#include "cli/graph_option.h"
#include "cli/read_options.h"
#include "cli/show_analysis.h"
#include "findings/findings.h"
#include "lint/lint_explain.h"
#include "load/load_runs.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is to be explained: a number from 1, an id, a rule, or none of them: all rules. */
struct subject {
    size_t number;
    const char *id; /* NULL: it was not said so */
    const struct rule *rule;
    size_t operands; /* it took so many of them */
};

static bool is_number(const char *word)
{
    size_t digits = strspn(word, "0123456789");
    return digits && digits < 10 && !word[digits];
}

/* The rule that an id of a finding begins with; NULL: the word is none. */
static const struct rule *rule_of_id(const char *word)
{
    char name[CAUSE_RULE_MAX + 1];
    size_t len = cause_id_rule(word);
    if (!len || len > CAUSE_RULE_MAX)
        return NULL;
    memcpy(name, word, len);
    name[len] = '\0';
    return rule_named(name);
}

static bool is_id(const char *word)
{
    return rule_of_id(word) != NULL;
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
    else if (!s.rule && is_id(word))
        s.id = word;
    s.operands = s.rule || s.id || is_number(word);
    return s;
}

/* The nearest of some names, at most EDITS_MAX away from a word. */
struct nearest_rule {
    const char *word, *name;
    int edits;
};

enum { EDITS_MAX = 3 };

static void try_name(struct nearest_rule *n, const char *name)
{
    int edits = edit_distance(n->word, name);
    if (edits >= n->edits)
        return;
    n->edits = edits;
    n->name = name;
}

static bool may_be_rule(const char *word)
{
    return !file_exists(word) && !strpbrk(word, "./*?[");
}

/* A word that is no file and nearly a rule's name; NULL: it is none. */
static const char *near_rule(const char *word)
{
    struct nearest_rule n = {word, NULL, EDITS_MAX + 1};
    if (!may_be_rule(word) || strlen(word) <= 2 * EDITS_MAX)
        return NULL;
    for (size_t i = 0; i < rule_count; i++)
        try_name(&n, rule_table[i].name);
    return n.name;
}

/* The same among the rules of `gait lint` too. Codes differ by a digit: only their case
 * is forgiven. */
static const char *near_any_rule(const char *word)
{
    const char *of_analyze = near_rule(word);
    struct nearest_rule n = {
        word, of_analyze, of_analyze ? edit_distance(word, of_analyze) : EDITS_MAX + 1};
    if (!may_be_rule(word))
        return NULL;
    for (size_t i = 0; i < lint_rule_count; i++) {
        if (!strcasecmp(word, lint_rules[i].code))
            return lint_rules[i].code;
        if (strlen(word) > 2 * EDITS_MAX)
            try_name(&n, lint_rules[i].name);
    }
    return n.name;
}

/* --- rules of `gait lint` */

/* By its code or name, or by the id of one of its findings. */
static const struct lint_rule *lint_rule_of(const char *word)
{
    char code[CAUSE_RULE_MAX + 1];
    size_t len = cause_id_rule(word);
    if (!len || len > CAUSE_RULE_MAX)
        return lint_rule_find(word);
    memcpy(code, word, len);
    code[len] = '\0';
    const struct lint_rule *rule = lint_rule_find(code);
    return rule && !strcmp(rule->code, code) ? rule : NULL; /* its ids have no names */
}

/* The rule that is meant where a word stands alone; NULL: none, or a file of that name. */
static const struct lint_rule *lint_rule_meant(const struct args *args)
{
    const char *word = args->operands[0];
    return args->n_operands == 1 && !file_exists(word) ? lint_rule_of(word) : NULL;
}

static enum status explain_lint_rule(const struct lint_rule *rule,
                                     const struct args *args, struct err *err)
{
    const char *json = args_has(args, "json")    ? "json"
                       : args_has(args, "brief") ? "brief"
                                                 : NULL;
    if (json)
        return err_set(err, STATUS_USAGE,
                       "--%s needs a run; %s is a rule of gait lint: leave --%s out",
                       json, args->operands[0], json);
    struct report_options screen = for_screen(&(struct report_options){0});
    struct lint_explain_options o = {screen.colour, screen.columns};
    struct strbuf out;
    strbuf_init(&out);
    lint_explain_write(&out, rule, &o);
    show_text(&out);
    strbuf_release(&out);
    return STATUS_OK;
}

/* "GT999", whether there is such a rule or not. */
static bool is_lint_code(const char *word)
{
    return !strncmp(word, "GT", 2) && is_number(word + 2) && !lint_rule_find(word);
}

/* A single word that is neither a file nor a rule, but nearly one. */
static enum status check_single_word(const struct args *args, struct err *err)
{
    const char *word = args->operands[0];
    const char *near = args->n_operands == 1 ? near_any_rule(word) : NULL;
    if (!near && args->n_operands == 1 && is_lint_code(word) && !file_exists(word))
        return err_set(err, STATUS_USAGE,
                       "no rule of gait lint has the code %.80s; docs/rules/README.md "
                       "lists them",
                       word);
    if (!near || is_number(word) || rule_named(word))
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "there is no file and no rule %.80s; did you mean %s?", word, near);
}

/* A run beside a rule that is not asked of runs. */
static enum status check_lint_word(const struct args *args, struct err *err)
{
    const char *word = args->operands[0];
    if (args->n_operands < 2 || file_exists(word) || rule_named(word) ||
        !lint_rule_of(word))
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "%s is a rule of gait lint, which needs no run: gait explain %s", word,
                   word);
}

/* Words that are no files, in places where only files are taken. */
static enum status check_words(const struct args *args, const struct subject *s,
                               struct err *err)
{
    for (size_t i = s->operands; i < args->n_operands; i++) {
        const char *word = args->operands[i];
        if (i && !file_exists(word) &&
            (is_number(word) || rule_named(word) || is_id(word)))
            return err_set(err, STATUS_USAGE, "the %s goes first: gait explain %s %s",
                           is_number(word) ? "number"
                           : is_id(word)   ? "id"
                                           : "rule",
                           word, args->operands[s->operands]);
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

/* Another id of the same rule says that the place is another one now. */
static enum status no_such_id(const char *id, const struct findings *f, struct err *err)
{
    const struct rule *rule = rule_of_id(id);
    for (size_t i = 0; i < f->n; i++)
        if (f->finding[i].rule == rule)
            return err_set(err, STATUS_USAGE,
                           "there is no finding %s; the run has %s of the same rule", id,
                           f->finding[i].id.s);
    if (!f->possible)
        return err_set(err, STATUS_USAGE,
                       "there is no finding %s: %s, and findings come from replaying "
                       "spans",
                       id, no_replay_text[f->why_not]);
    return err_set(err, STATUS_USAGE,
                   "there is no finding %s: %s found nothing in this run; leave the id "
                   "out to see all",
                   id, rule->name);
}

static enum status explain(struct strbuf *out, const struct run *run, struct subject s,
                           enum report_format format, struct report_options *o,
                           struct err *err)
{
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    enum status st = STATUS_OK;
    o->findings = f;
    bool brief = format == REPORT_BRIEF;
    /* the id of a finding of the whole job is its rule's name */
    const char *id = s.id ? s.id : s.rule && brief ? s.rule->name : NULL;
    const struct finding *with_id = id ? findings_with_id(f, id) : NULL;
    if (with_id)
        s.number = (size_t)(with_id - f->finding) + 1;
    /* on a screen the first finding of a rule says more than the rule */
    for (size_t i = 0; i < f->n && s.rule && !s.number && format == REPORT_TERMINAL; i++)
        if (f->finding[i].rule == s.rule)
            s.number = i + 1;
    if (s.id && !with_id)
        st = no_such_id(s.id, f, err);
    else if (s.number && s.number <= f->n)
        report_finding(out, a, s.number - 1, format, o);
    else if (s.number || (s.operands && !s.rule))
        st = no_such_finding(&s, f, err);
    else
        report_rules(out, a, s.rule, format, o);
    findings_free(f);
    analysis_free(a);
    return st;
}

static enum status check_operands(const struct args *args, const struct subject *s,
                                  struct err *err)
{
    enum status st = check_lint_word(args, err);
    if (!st)
        st = check_single_word(args, err);
    if (!st && args->n_operands == s->operands)
        st = err_set(err, STATUS_USAGE,
                     "explain needs a run or a trace after \"%s\"; for example: gait "
                     "explain 1 trace.json.gz",
                     args->operands[0]);
    return st ? st : check_words(args, s, err);
}

static enum status explain_runs(const struct args *args, const struct subject *s,
                                const struct load_options *load,
                                enum report_format format, struct err *err)
{
    struct load_result loaded;
    struct run run;
    struct strbuf out;
    const char *const *paths = args->operands + s->operands;
    size_t n = args->n_operands - s->operands;
    struct report_options o = for_screen(&(struct report_options){
        .subject = n == 1 ? paths[0] : NULL, .graph = graph_option(args)});
    run_init(&run);
    strbuf_init(&out);
    enum status st = load_runs(&run, &loaded, paths, n, load, err);
    if (!st)
        st = graph_option_add(&run, args, err);
    if (!st)
        st = explain(&out, &run, *s, format, &o, err);
    if (!st) {
        show_text(&out);
        damage_warnings(&run);
        st = load_status(&loaded, err);
    }
    strbuf_release(&out);
    run_release(&run);
    return st;
}

static enum status cmd_explain(const struct args *args, struct err *err)
{
    const struct lint_rule *lint_rule = lint_rule_meant(args);
    if (lint_rule)
        return explain_lint_rule(lint_rule, args, err);
    struct subject s = subject_of(args);
    struct load_options load = load_for_findings;
    enum report_format format;
    enum status st = read_options(&load, args, err);
    if (!st)
        st = json_or_brief(&format, args, err);
    if (!st)
        st = check_operands(args, &s, err);
    return st ? st : explain_runs(args, &s, &load, format, err);
}

static const struct option options[] = {
    JSON_OPTIONS("the rules and findings as JSON (docs/explain.md)"),
    GRAPH_OPTION,
    READ_OPTIONS,
};

const struct command command_explain = {
    .name = "explain",
    .run = cmd_explain,
    .summary = "a finding's evidence, price and fix; or all causes looked for",
    .operands = "[N|ID|RULE] RUN|TRACE… | LINT-RULE",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about = "N is a finding's number in `gait analyze`, ID its name in JSON, which is "
             "the same\n"
             "in every recording of a job, RULE the name of a rule. Without them: every "
             "rule,\n"
             "and whether it found something, found nothing, or what the run lacks to "
             "ask it.\n"
             "docs/explain.md\n"
             "\n"
             "LINT-RULE is the code or name of a rule of `gait lint`: explain GT101",
    .example = "explain 1 trace.json.gz",
};
