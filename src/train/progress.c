#include "train/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t STATUS_PERIOD_NS = 100000000; /* ten times a second is enough */

void progress_init(struct progress *p, const struct trainer *t)
{
    memset(p, 0, sizeof *p);
    p->trainer = t;
    p->validation_loss = NAN;
}

/* "bf16 (AMX, checked)": what the self-check proved and oneDNN says it runs. */
static void describe_engine(char *out, size_t size, const struct trainer *t)
{
    const struct engine_options *o = &t->engine.options;
    const char *kernel = t->model.linear[LINEAR_QKV].kernel;
    const char *amx = strstr(kernel, "amx") ? "AMX, " : "";
    snprintf(out, size, "%s (%s%s, checked)", o->precision, amx, o->name);
}

void progress_model(struct strbuf *out, const struct trainer *t)
{
    const struct model_shape *s = &t->model.shape;
    char ranks[32] = "", engine[64];
    if (t->comm.size > 1)
        snprintf(ranks, sizeof ranks, " on each of %d ranks", t->comm.size);
    describe_engine(engine, sizeof engine, t);
    strbuf_printf(out, "%s  %lld layers × %lld, %s parameters, %s, %d thread%s%s",
                  s->family == MODEL_FAMILY_LLAMA ? "llama" : "gpt2",
                  (long long)s->layers, (long long)s->width,
                  unit_count((double)t->model.params.table.count).s, engine, t->threads,
                  t->threads == 1 ? "" : "s", ranks);
}

static void print_model(const struct trainer *t)
{
    struct strbuf line;
    strbuf_init(&line);
    progress_model(&line, t);
    log_line("%s", line.s);
    strbuf_release(&line);
}

/* Only what a self-check has just proved on this machine. */
static void print_enabled(const struct trainer *t)
{
    const struct config *c = t->config;
    const struct self_check *k = &t->self_check;
    if (strcmp(t->engine.options.name, "reference") != 0)
        log_line("enabled %s linears by %s (%s): all products within %.0e of sums in "
                 "double",
                 t->engine.options.precision, engine_maker(&t->engine),
                 t->model.linear[LINEAR_QKV].kernel, t->products_error);
    if (!strcmp(t->engine.options.attention, "tiled"))
        log_line(
            "enabled tiled attention, no (T, T) matrix: within %.0e of the plain form",
            k->attention_error);
    if (c->recompute)
        log_line("recompute: each block runs again in the backward pass");
    if (t->selection.k)
        log_line("top_k: a step updates the %lld of %zu tensors with the largest "
                 "gradients",
                 (long long)t->selection.k, t->model.params.table.n);
    if (t->first_step)
        log_line("resume  from step %lld in %s", (long long)t->first_step,
                 c->checkpoint_dir);
    else if (*c->init_from)
        log_line("weights from %s", c->init_from);
}

static void print_memory(const struct trainer *t)
{
    struct strbuf line;
    size_t limit = memory_plan_limit_bytes(&t->plan), total = 0;
    strbuf_init(&line);
    for (int i = 0; i < TENSOR_CLASS_COUNT; i++) {
        total += trainer_class_bytes(t, i);
        strbuf_printf(&line, "%s%s %s", i ? ", " : "", tensor_class_text[i],
                      unit_mib((double)trainer_class_bytes(t, i)).s);
    }
    log_line("memory  %s   total %s%s%s (exact)", line.s, unit_mib((double)total).s,
             limit ? " of " : "", limit ? unit_mib((double)limit).s : "");
    strbuf_release(&line);
}

static void print_data(const struct trainer *t)
{
    const struct dataset *d = &t->dataset;
    double train = (double)d->train.n;
    double all = train + (double)d->validation.n;
    static const char *const kinds[] = {[TOKENIZER_NONE] = "tokens",
                                        [TOKENIZER_BYTES] = "bytes",
                                        [TOKENIZER_CHARS] = "characters",
                                        [TOKENIZER_BPE] = "BPE tokens"};
    log_line("data    %s, %s %s, %.0f %% train, vocabulary %lld, an epoch is %lld steps",
             t->config->dataset, unit_count(all).s, kinds[d->tokenizer.kind],
             100 * train / all, (long long)t->model.shape.vocab,
             (long long)t->epoch_steps);
    if (isfinite(d->entropy_nats_per_char))
        log_line("        the source's entropy is %.4f nats a character (exact): no "
                 "model can do better",
                 d->entropy_nats_per_char);
    if (isfinite(d->validation_nats_per_char))
        log_line("        the validation text itself carries %.4f nats a character",
                 d->validation_nats_per_char);
}

void progress_header(const struct progress *p)
{
    print_model(p->trainer);
    print_memory(p->trainer);
    print_data(p->trainer);
    print_enabled(p->trainer);
}

static double per_second(int64_t n, int64_t ns)
{
    return ns > 0 ? (double)n * 1e9 / (double)ns : 0;
}

double progress_data_wait_frac(const struct progress *p)
{
    int64_t all = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        all += p->trainer->phase_ns[i];
    return all ? (double)p->trainer->data_wait_ns / (double)all : 0;
}

/* How long `left` steps take, by the slower and the faster of the recent and the average
 * rate; one figure where both say the same. */
static void format_eta(char *out, size_t size, int64_t left, double recent,
                       double average)
{
    double slow = fmin(recent, average), fast = fmax(recent, average);
    if (slow <= 0)
        slow = fast;
    if (left <= 0 || fast <= 0) {
        *out = '\0';
        return;
    }
    struct unit_text least = unit_ns_of((double)left / fast * 1e9);
    struct unit_text most = unit_ns_of((double)left / slow * 1e9);
    if (strcmp(least.s, most.s))
        snprintf(out, size, "   ETA %s to %s", least.s, most.s);
    else
        snprintf(out, size, "   ETA %s", most.s);
}

/* Parts of the line, and in which turn they are left out where the screen is narrow. */
enum { LINE_PARTS = 9, LINE_PART_BYTES = 96 };
struct line_part {
    char text[LINE_PART_BYTES];
    int turn; /* 0: never */
};

static int join_parts(char *out, size_t size, const struct line_part *part, int left_out)
{
    int len = 0;
    out[0] = '\0';
    for (int i = 0; i < LINE_PARTS; i++)
        if (!part[i].turn || part[i].turn > left_out)
            len += snprintf(out + len, size - (size_t)len, "%s", part[i].text);
    return len;
}

/* A line of fixed size: this runs within the training loop, which allocates nothing. */
static void format_line(char *out, size_t size, const struct progress *p, int64_t step,
                        const struct step_report *r)
{
    const struct trainer *t = p->trainer;
    double recent = per_second(p->recent_steps, p->recent_ns);
    double average = p->timed_steps ? per_second(p->timed_steps, p->timed_ns) : recent;
    double tokens = recent * (double)(t->model.M * t->comm.size) *
                    (double)t->config->gradient_accumulation;
    struct line_part part[LINE_PARTS] = {{.turn = 0}, {.turn = 0}, {.turn = 6},
                                         {.turn = 3}, {.turn = 4}, {.turn = 0},
                                         {.turn = 2}, {.turn = 5}, {.turn = 1}};
    char *text[LINE_PARTS];
    for (int i = 0; i < LINE_PARTS; i++)
        text[i] = part[i].text;
    snprintf(text[0], LINE_PART_BYTES, "step %6lld/%lld", (long long)step + 1,
             (long long)t->steps);
    snprintf(text[1], LINE_PART_BYTES, "  loss %.4f",
             p->loss_sum / (double)p->recent_steps);
    if (isfinite(p->validation_loss))
        snprintf(text[2], LINE_PART_BYTES, "  val %.4f", p->validation_loss);
    snprintf(text[3], LINE_PART_BYTES, "  lr %.1e", r->learning_rate);
    snprintf(text[4], LINE_PART_BYTES, "  |g| %.2f", r->gradient_norm);
    snprintf(text[5], LINE_PART_BYTES, "   %.1f steps/s", recent);
    snprintf(text[6], LINE_PART_BYTES, " (avg %.1f)", average);
    snprintf(text[7], LINE_PART_BYTES, "   %s tok/s", unit_count(tokens).s);
    snprintf(text[8], LINE_PART_BYTES, "   data wait %.1f %%",
             100 * progress_data_wait_frac(p));
    char eta[LINE_PART_BYTES];
    format_eta(eta, sizeof eta, t->steps - step - 1, recent, average);
    int columns = log_columns(), left_out = 0, len;
    do
        len = join_parts(out, size, part, left_out);
    while (len + (int)strlen(eta) >= columns && left_out++ < LINE_PARTS);
    snprintf(out + len, size - (size_t)len, "%s", eta);
}

void progress_step(struct progress *p, int64_t step, const struct step_report *r,
                   int64_t dur_ns)
{
    char line[256];
    const struct config *c = p->trainer->config;
    p->recent_steps++;
    p->wall_ns += dur_ns;
    if (p->begun) { /* the first step is slower, and no step after it is like it */
        p->timed_steps++;
        p->timed_ns += dur_ns;
    }
    p->begun = true;
    p->recent_ns += dur_ns;
    p->loss_sum += r->loss;
    bool at_interval = (step + 1) % c->log_interval == 0 || step + 1 == p->trainer->steps;
    bool on_terminal = log_on_terminal();
    int64_t now_ns = clock_now_ns();
    if (at_interval || on_terminal) {
        if (on_terminal && now_ns - p->drawn_ns > STATUS_PERIOD_NS) {
            format_line(line, sizeof line, p, step, r);
            log_status("%s", line);
            p->drawn_ns = now_ns;
        } else if (!on_terminal) {
            format_line(line, sizeof line, p, step, r);
            log_line("%s", line);
        }
    }
    if (at_interval) {
        p->validation_loss = NAN; /* said once, beside the step it belongs to */
        p->recent_steps = p->recent_ns = 0;
        p->loss_sum = 0;
    }
}
