/* What each optimisation of the trainer is worth on this machine. */
#include "cli/args.h"

static const struct option options[] = {
    {"budget", 0, "SECONDS", "for all comparisons together [120]"},
    {"json", 0, NULL, "the figures as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/settings_args.h"
#include "tune/ablation.h"

#include <math.h>
#include <stdio.h>

enum { ABLATE_JSON_VERSION = 1 };
static const double BUDGET_S = 120;

/* Time with it off over time with it on; the interval's ends change places. */
struct speedup {
    double ratio, low, high;
};

static struct speedup speedup_of(const struct ab_time *t)
{
    if (!isfinite(t->high)) /* too few pairs for an interval */
        return (struct speedup){1 / (1 + t->change), NAN, NAN};
    return (struct speedup){1 / (1 + t->change), 1 / (1 + t->high), 1 / (1 + t->low)};
}

static struct unit_text speedup_text(const struct ab_time *t)
{
    struct speedup s = speedup_of(t);
    struct unit_text text;
    if (!t->pairs)
        snprintf(text.s, sizeof text.s, "–");
    else if (isfinite(s.high))
        snprintf(text.s, sizeof text.s, "%.2f [%.2f, %.2f]", s.ratio, s.low, s.high);
    else
        snprintf(text.s, sizeof text.s, "%.2f [%zu pairs]", s.ratio, t->pairs);
    return text;
}

static struct unit_text predicted_text(double speedup)
{
    struct unit_text text = {"–"};
    if (isfinite(speedup))
        snprintf(text.s, sizeof text.s, "%.2f", speedup);
    return text;
}

static const char *same_text(const struct proof *p)
{
    struct other_model other = proof_other_model(p);
    return other.not_comparable ? "?" : *other.why ? "no" : "yes";
}

static void print_table(const struct ablations *all)
{
    printf("%-34s %9s %9s  %8s  %-18s %9s  %-18s %8s  %s\n", "With it off and on", "off",
           "on", "at most", "speed-up", "predicted", "all so far", "memory",
           "same model");
    for (size_t i = 0; i < all->n; i++) {
        const struct ablation *a = &all->row[i];
        const struct proof *p = &a->alone;
        if (*a->why_not) {
            printf("%-34s N/A: %s\n", a->of->what, a->why_not);
            continue;
        }
        struct unit_text at_most = predicted_text(a->alone_at_most),
                         predicted = predicted_text(a->all_predicted),
                         so_far = speedup_text(&a->all.time);
        struct unit_text memory = unit_signed(100 * (p->bytes[1] / p->bytes[0] - 1), 1);
        printf("%-34s %9s %9s  %*s%s  %-18s %*s%s  %s%*s %*s%s %%  %s\n", a->of->what,
               unit_ns_of(p->time.step_ns[0]).s, unit_ns_of(p->time.step_ns[1]).s,
               8 - utf8_letters(at_most.s), "", at_most.s, speedup_text(&p->time).s,
               9 - utf8_letters(predicted.s), "", predicted.s, so_far.s,
               18 - utf8_letters(so_far.s), "", 6 - utf8_letters(memory.s), "", memory.s,
               same_text(p));
    }
    printf("Measured in turns. Speed-up: the config with this one off over on, with its "
           "interval\n([n pairs]: too few for one). All so far: everything off over this "
           "and those above it on, of what the config\nhas on. Predicted, not measured: "
           "at most, if everything it changes took no time (–: it changes all of a\n"
           "step); predicted, if the speed-ups so far multiplied.\n");
    if (all->cut_short)
        printf("The budget ended before all was run: give it more (--budget).\n");
    if (*all->busy)
        printf("The machine was not quiet: %s meanwhile.\n", all->busy);
}

static void json_proof(struct json_writer *w, const char *key, const struct proof *p)
{
    struct speedup s = speedup_of(&p->time);
    json_key(w, key);
    if (!p->time.pairs) { /* not run */
        json_null(w);
        return;
    }
    json_begin_object(w);
    json_field_exact(w, "off_ns", p->time.step_ns[0]);
    json_field_exact(w, "on_ns", p->time.step_ns[1]);
    json_field_exact(w, "speedup", s.ratio);
    json_field_exact(w, "speedup_low", s.low);
    json_field_exact(w, "speedup_high", s.high);
    json_field_int(w, "pairs", (int64_t)p->time.pairs);
    json_field_exact(w, "memory_ratio", p->bytes[1] / p->bytes[0]);
    json_field_string(w, "same_model", same_text(p));
    json_end(w);
}

static void print_json(const struct ablations *all)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-ablation");
    json_field_int(&w, "version", ABLATE_JSON_VERSION);
    json_key(&w, "cut_short");
    json_bool(&w, all->cut_short);
    json_field_text_or_null(&w, "busy", all->busy);
    json_key(&w, "rows");
    json_begin_array(&w);
    for (size_t i = 0; i < all->n; i++) {
        json_begin_object(&w);
        json_field_string(&w, "what", all->row[i].of->what);
        json_field_string(&w, "setting", all->row[i].of->key);
        json_key(&w, "on");
        json_bool(&w, all->row[i].is_on);
        json_field_string(&w, "reason", all->row[i].why_not);
        if (*all->row[i].why_not) {
            json_end(&w);
            continue;
        }
        json_key(&w, "predicted");
        json_begin_object(&w);
        json_field_exact(&w, "alone_at_most", all->row[i].alone_at_most);
        json_field_exact(&w, "so_far", all->row[i].all_predicted);
        json_end(&w);
        json_proof(&w, "alone", &all->row[i].alone);
        json_proof(&w, "so_far", &all->row[i].all);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static enum status cmd_ablate(const struct args *args, struct err *err)
{
    struct config config;
    struct ablations *all = mem_zalloc(1, sizeof *all);
    double budget_s = BUDGET_S;
    enum status st = settings_from_args(&config, args->operands[0], args, err);
    if (!st)
        st = args_real(args, "budget", 1, 1e6, &budget_s, err);
    if (!st)
        st = ablation_run(all, &config, budget_s, err);
    if (!st && args_has(args, "json"))
        print_json(all);
    else if (!st)
        print_table(all);
    config_release(&config);
    mem_free(all);
    return st;
}
#endif

const struct command command_ablate = {
    .name = "ablate",
    .run = OF_TRAINER(cmd_ablate),
    .summary = "what each optimisation of the trainer is worth here, really run",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about = "Each is switched off and on alone, then those that the config has on are "
             "switched\non one after the other.",
    .example = "ablate examples/tiny.yaml",
};
