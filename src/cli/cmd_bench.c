/* What this machine is, and how fast it was measured to be. */
#include "cli/args.h"

static const struct option options[] = {
    {"threads", 0, "N", "OpenMP threads [all cores]"},
    {"anew", 0, NULL, "measure again what is known of this machine"},
    {"disk", 0, "FOLDER", "whose disk is measured [this one]"},
    {"json", 0, NULL, "the figures as JSON"},
    {"output", 'o', "RUN", "write them as a run file too"},
};

#ifdef GAIT_TRAIN
#include "analyze/model_parts.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/thread_trial.h"
#include "base/units.h"
#include "cli/bench_cache.h"
#include "cli/output_word.h"
#include "cli/settings_args.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "run/run_file.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BENCH_JSON_VERSION = 2, THREADS_MAX = 4096 };

struct bench {
    struct run machine; /* facts */
    struct run kept;    /* of the cache; holds texts of the ceilings */
    struct run profile; /* of the model's parts */
    struct ceilings all;
    const char *measured_at; /* NULL: just now */
    struct model_parts parts;
    bool has_parts;
};

/* --- as text --- */

static struct unit_text rate_text(double value, const char *unit)
{
    struct unit_text t;
    if (!strcmp(unit, "ns"))
        return unit_ns_of(value);
    snprintf(t.s, sizeof t.s, "%.*f", value < 1e11 ? 2 : 1, value / 1e9);
    return t;
}

static const char *unit_word(const char *unit)
{
    return !strcmp(unit, "FLOP/s") ? "GFLOP/s" : !strcmp(unit, "B/s") ? "GB/s" : "";
}

static void print_machine(const struct run *run)
{
    double memory = run_fact(run, -1, "machine.memory_total_bytes");
    printf("%s, %.0f cores, %s%s%s\n", run_fact_text(run, -1, "machine.cpu"),
           run_fact(run, -1, "machine.cores_usable"),
           run_fact_text(run, -1, "machine.isa"), isfinite(memory) ? ", memory " : "",
           isfinite(memory) ? unit_mib(memory).s : "");
}

static void print_ceilings(const struct ceilings *all)
{
    printf("\n%-32s %9s  %-20s %9s\n", "Ceiling", "median", "95 % interval", "best");
    for (size_t i = 0; i < all->n; i++) {
        const struct named_ceiling *x = &all->of[i];
        if (!x->c.repetitions) {
            printf("  %-30s %9s  not available: %s\n", x->what, "-", x->c.how);
            continue;
        }
        char interval[80];
        snprintf(interval, sizeof interval, "%s to %s", rate_text(x->c.low, x->unit).s,
                 rate_text(x->c.high, x->unit).s);
        printf("  %-30s %9s  %-20s %9s  %-8s of %d, %s\n", x->what,
               rate_text(x->c.median, x->unit).s, interval,
               rate_text(x->c.best, x->unit).s, unit_word(x->unit), x->c.repetitions,
               unit_plural(x->c.threads, "thread", "threads").s);
    }
}

static void print_noise(const struct ceilings *all)
{
    struct noise_text noise = ceilings_noise(all);
    if (*noise.s)
        printf("Noise:  %s\n", noise.s);
    else if (!all->noise.known)
        printf("Noise:  not available: /proc/stat cannot be read\n");
    else
        printf("Noise:  none seen (other programs %.2f CPUs, steal %.1f %%)\n",
               all->noise.others_cpus, 100 * all->noise.steal_frac);
}

static void print_cost(const struct part_cost *c)
{
    char interval[80] = "", bound[32] = "";
    if (c->ns <= 0) {
        printf("  %9s %-21s %-13s", "-", "", "");
        return;
    }
    if (isfinite(c->low_ns))
        snprintf(interval, sizeof interval, "%s to %s", unit_ns_of(c->low_ns).s,
                 unit_ns_of(c->high_ns).s);
    if (c->bound_ns > 0)
        snprintf(bound, sizeof bound, "%.1fx %s", c->ns / c->bound_ns,
                 c->bytes_decide ? "memory" : "flops");
    printf("  %9s %-21s %-13s", unit_ns_of(c->ns).s, interval, bound);
}

static void print_parts(const struct model_parts *p)
{
    printf("\n%-20s  %9s %-21s %-13s  %9s %-21s %s\n", "Part of the model", "forward",
           "95 % interval", "of its bound", "backward", "95 % interval", "of its bound");
    for (int i = 0; i < MODEL_PART_COUNT; i++) {
        printf("  %-18s", model_part_text[i]);
        print_cost(&p->of[i][PART_FORWARD]);
        print_cost(&p->of[i][PART_BACKWARD]);
        printf("\n");
    }
    printf(
        "A step, %s of %.0f.  The bound: its operators one after the other, each at the "
        "median peak or bandwidth above, whichever takes longer.\n",
        p->timed ? "median" : "mean", p->timed ? (double)p->timed : p->steps);
}

static void print_text(const struct bench *b)
{
    print_machine(&b->machine);
    print_ceilings(&b->all);
    print_noise(&b->all);
    if (b->measured_at)
        printf("Measured %s; --anew measures again.\n", b->measured_at);
    if (b->has_parts)
        print_parts(&b->parts);
}

/* --- as JSON --- */

static void json_facts(struct json_writer *w, const struct run *run)
{
    json_key(w, "facts");
    json_begin_array(w);
    for (size_t i = 0; i < run->facts.table.n; i++) {
        struct fact f = facts_get(&run->facts, i);
        json_begin_object(w);
        json_field_string(w, "key", run_name(run, f.key));
        json_field_exact(w, "value", f.value);
        json_field_string(w, "unit", run_name(run, f.unit));
        json_field_string(w, "text", run_name(run, f.text));
        json_field_string(w, "origin", origin_text[f.origin]);
        json_end(w);
    }
    json_end(w);
}

static void json_ceilings(struct json_writer *w, const struct ceilings *all)
{
    json_key(w, "ceilings");
    json_begin_array(w);
    for (size_t i = 0; i < all->n; i++) {
        const struct named_ceiling *x = &all->of[i];
        bool known = x->c.repetitions > 0;
        json_begin_object(w);
        json_field_string(w, "key", x->key);
        json_field_string(w, "what", x->what);
        json_field_string(w, "unit", x->unit);
        json_field_exact(w, "median", known ? x->c.median : NAN);
        json_field_exact(w, "low", known ? x->c.low : NAN);
        json_field_exact(w, "high", known ? x->c.high : NAN);
        json_field_exact(w, "best", known ? x->c.best : NAN);
        json_field_int(w, "repetitions", x->c.repetitions);
        json_field_int(w, "threads", x->c.threads);
        json_field_exact(w, "cpu_frac", known ? x->c.cpu_frac : NAN);
        json_field_exact(w, "drift_frac", known ? x->c.drift_frac : NAN);
        json_field_string(w, "how", x->c.how);
        json_end(w);
    }
    json_end(w);
}

static void json_parts(struct json_writer *w, const struct model_parts *p)
{
    static const char *const way[PART_WAYS] = {"forward", "backward"};
    json_key(w, "parts");
    json_begin_array(w);
    for (int i = 0; i < MODEL_PART_COUNT; i++)
        for (int k = 0; k < PART_WAYS; k++) {
            const struct part_cost *c = &p->of[i][k];
            json_begin_object(w);
            json_field_string(w, "part", model_part_text[i]);
            json_field_string(w, "way", way[k]);
            json_field_exact(w, "ns", c->ns);
            json_field_exact(w, "low_ns", c->low_ns);
            json_field_exact(w, "high_ns", c->high_ns);
            json_field_exact(w, "flop", c->flop);
            json_field_exact(w, "bytes", c->bytes);
            json_field_exact(w, "bound_ns", c->bound_ns > 0 ? c->bound_ns : NAN);
            json_field_string(w, "bound", c->bytes_decide ? "memory" : "flops");
            json_end(w);
        }
    json_end(w);
}

static void print_json(const struct bench *b)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-bench");
    json_field_int(&w, "version", BENCH_JSON_VERSION);
    json_field_string(&w, "measured_at", b->measured_at ? b->measured_at : "");
    json_facts(&w, &b->machine);
    json_ceilings(&w, &b->all);
    json_key(&w, "noise");
    json_begin_object(&w);
    json_field_exact(&w, "others_cpus",
                     b->all.noise.known ? b->all.noise.others_cpus : NAN);
    json_field_exact(&w, "steal_frac",
                     b->all.noise.known ? b->all.noise.steal_frac : NAN);
    json_end(&w);
    if (b->has_parts)
        json_parts(&w, &b->parts);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

/* --- measuring --- */

static void show_progress(void *context, const char *what, size_t i, size_t n)
{
    (void)context;
    log_status("measuring %s (%zu of %zu)", what, i + 1, n);
}

/* What is known of this machine, else what it does now. */
static void find_ceilings(struct bench *b, int threads, const char *folder, bool anew)
{
    struct err err = ERR_INIT;
    struct bench_cache cache;
    bench_cache_init(&cache, &b->machine, threads);
    if (!anew)
        b->measured_at = bench_cache_load(&cache, &b->kept, &b->all);
    if (!b->measured_at) {
        ceilings_measure(&b->all, threads, folder, show_progress, NULL);
        log_status_clear();
        struct noise_text noise = ceilings_noise(&b->all);
        if (!ceilings_are_lasting(&b->all))
            log_line("gait: warning: not kept for the next time: %s", noise.s);
        else if (bench_cache_save(&cache, &b->all, &err))
            log_line("gait: warning: not kept for the next time: %s", err.text);
    }
    bench_cache_release(&cache);
    machine_add_ceilings(&b->machine, -1, &b->all);
}

static double median_of(const struct ceilings *all, const char *key)
{
    const struct named_ceiling *x = ceilings_find(all, key);
    return x && x->c.repetitions ? x->c.median : NAN;
}

/* The best that the CPU has for what the linears compute in. */
static double peak_of(const struct ceilings *all, bool bf16)
{
    double tiles = median_of(all, "bf16_amx"), pairs = median_of(all, "bf16_avx512");
    double f32 = median_of(all, ceilings_f32(all)->key);
    if (!bf16)
        return f32;
    return !isnan(tiles) ? tiles : !isnan(pairs) ? pairs : f32;
}

static enum status measure_parts(struct bench *b, const struct config *config,
                                 struct err *err)
{
    enum status st = train_profile(config, false, &b->profile, err);
    if (!st)
        b->has_parts =
            model_parts_of(&b->parts, &b->profile, 0,
                           peak_of(&b->all, !strcmp(config->precision, "bf16")),
                           median_of(&b->all, "memory"));
    return st;
}

static enum status run_bench(struct bench *b, const struct args *args, int threads,
                             const struct config *config, struct err *err)
{
    const char *folder = args_value(args, "disk");
    enum status st = STATUS_OK;
    machine_describe(&b->machine, -1);
    find_ceilings(b, threads, folder ? folder : ".", args_has(args, "anew"));
    if (config)
        st = measure_parts(b, config, err);
    if (!st && args_has(args, "json"))
        print_json(b);
    else if (!st)
        print_text(b);
    return st;
}

static enum status save(const struct bench *b, const char *path, struct err *err)
{
    const char *wrote = output_word(path);
    enum status st = run_save(&b->machine, path, err);
    if (!st)
        log_line("%s %s", wrote, path);
    return st;
}

static enum status cmd_bench(const struct args *args, struct err *err)
{
    int64_t threads = 0;
    const char *path = args_value(args, "output");
    struct config config;
    bool has_config = args->n_operands > 0;
    enum status st = args_int(args, "threads", 1, THREADS_MAX, &threads, err);
    int used = threads ? (int)threads : cpu_usable_cores();
    if (!st)
        st = threads_try(used, err);
    if (st)
        return st;
    if (has_config) /* before anything is measured */
        st = settings_from_args(&config, args->operands[0], args, err);
    struct bench b = {0};
    run_init(&b.machine);
    run_init(&b.kept);
    run_init(&b.profile);
    if (!st)
        st = run_bench(&b, args, used, has_config ? &config : NULL, err);
    if (!st && path)
        st = save(&b, path, err);
    run_release(&b.machine);
    run_release(&b.kept);
    run_release(&b.profile);
    if (has_config)
        config_release(&config);
    return st;
}
#endif

const struct command command_bench = {
    .name = "bench",
    .run = OF_TRAINER(cmd_bench),
    .summary = "this machine: its facts and its measured ceilings",
    .operands = "[CONFIG]",
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about =
        "What was measured on this machine before is kept, in the user's cache folder.\n"
        "With CONFIG the parts of its model too, each against its own bound.",
    .example = "bench examples/tiny.yaml",
};
