/*
 * A finding: a cause of lost time with its evidence, what fixing it would gain, and the
 * fix. Rules (rules/rule.h) add them; findings/findings.h asks all rules and has them
 * priced.
 *
 * Predicted figures are named so; none of them is ever put where a measured one stands.
 */
#ifndef GAIT_PRICE_FINDING_H
#define GAIT_PRICE_FINDING_H

#include "base/cause_id.h"
#include "evidence/account.h"
#include "evidence/evidence.h"
#include "price/confidence.h"
#include "price/quantity.h"
#include "price/rule_row.h"
#include "replay/critical_path.h"

/* E(VALUE, "how the price was found") */
#define PRICE_LIST(E)                                                                    \
    E(REPLAYED, "replayed without it")                                                   \
    E(MEASURED, "replayed with the replacement's cost, measured in the job")             \
    E(INTERVAL, "from steps with and without it, measured")                              \
    E(SAMPLED, "sampled in untraced steps")                                              \
    E(MODELLED, "the replacement's cost is estimated, not measured")                     \
    E(WAITS, "from the waits of ranks, measured")                                        \
    E(RUN, "measured: steps of the job as it is and with the change, in turns")

#define PRICE_VALUE(v, text) PRICE_##v,
enum price { PRICE_LIST(PRICE_VALUE) PRICE_COUNT };
extern const char *const price_text[PRICE_COUNT];

/* E(VALUE, "as told") by gain and effort: docs/findings.md */
#define PRIORITY_LIST(E)                                                                 \
    E(P1, "P1")                                                                          \
    E(P2, "P2")                                                                          \
    E(P3, "P3")                                                                          \
    E(P4, "P4")
#define PRIORITY_VALUE(v, text) PRIORITY_##v,
enum priority { PRIORITY_LIST(PRIORITY_VALUE) PRIORITY_COUNT };
extern const char *const priority_text[PRIORITY_COUNT];

/* E(VALUE, "why the shown rank cannot be replayed") */
#define NO_REPLAY_LIST(E)                                                                \
    E(NONE, "")                                                                          \
    E(NOT_RECORDED, "nothing was recorded")                                              \
    E(SUMS_ALONE, "the run keeps sums alone of the rank that is shown")                  \
    E(NO_SPANS, "the run holds no spans")                                                \
    E(NO_WHOLE_STEP, "no step is kept whole; import the trace with --keep-spans all")
#define NO_REPLAY_VALUE(v, text) NO_REPLAY_##v,
enum no_replay { NO_REPLAY_LIST(NO_REPLAY_VALUE) NO_REPLAY_COUNT };
extern const char *const no_replay_text[NO_REPLAY_COUNT];

enum { FINDING_TEXT_MAX = 512, FINDING_QUANTITIES_MAX = 12, FINDING_LINES_MAX = 8 };

struct finding {
    const struct rule *rule;
    bool of_recording; /* there are no steps: its figures are of the whole recording */
    char where[FINDING_TEXT_MAX];    /* operator, module, line; "" where not known */
    int32_t line[FINDING_LINES_MAX]; /* (n_lines) statements of the job that ask for it:
                                        rows of run->lines, what holds most first */
    size_t n_lines;
    /* What tells it apart from others of its rule in every recording; "": the rule adds
     * one finding at most. finding_set_place(), statements_set_place() */
    struct content_hash_text place;
    const char *place_file; /* the whole path, where equal places have another one */
    struct cause_id id;     /* once all are known */
    char evidence[FINDING_TEXT_MAX]; /* what was seen, with its figures */
    struct quantity quantity[FINDING_QUANTITIES_MAX]; /* (n_quantities) these figures */
    size_t n_quantities;
    char missing[FINDING_TEXT_MAX]; /* a cost that the run cannot show; "": none */
    double holds_ns;                /* of a step; measured */
    bool holds_timed;               /* by a clock, in steps without the tracer; else it is
                                       what the trace shows, scaled to such a step */
    bool reads_unseen;              /* it rests on nobody reading a result, and not all
                                       who could are seen */
    enum price price;
    const struct rule_fix *fix; /* NULL: the rule's first one */
    struct rule_fix own_fix;    /* instead, where its rule is set: as the run names it */

    /* What a rule gives for the price, beside its edits: */
    struct edit_list edits; /* with those of the other ranks that do the same */
    bool of_collectives;    /* what it holds lies in the rank's collectives: no edits */
    double direct_gain_ns;  /* a step, of what the window does not show; else 0 */
    double timed_ns; /* what is edited takes a step, timed without the tracer; 0: only
                        the trace tells */
    bool apart;      /* the gain is of another figure than the step, as its text says:
                        no part of the total */
    double samples;  /* of a step, where the gain is told a sample: it is apart, but the
                        same part of what a sample takes as of a step; else 0 */
    double low_frac,
        high_frac; /* of the gain: the least and the most it may be of what is
                      replayed; both 1 where only the usual error counts */

    /* The price, predicted: */
    double gain_ns, gain_low_ns, gain_high_ns; /* a step; the interval is of 90 % */
    double timed_more_ns; /* of gain_ns, what direct timing says beyond the replay */
    double ceiling_ns;    /* what would be gained if all it holds took no time */
    enum priority priority;
    enum confidence confidence;   /* in the price */
    char doubt[FINDING_TEXT_MAX]; /* what it rests on, or what it lacks */
    struct quantity doubt_number; /* that it says; without a name: it says none */
    bool unpriced; /* the ground is too thin: no figure of the price is told */
};

/* What a step would lose, predicted, and the interval of it. */
struct gain {
    double ns, low_ns, high_ns;
};

struct findings {
    const struct run *run;
    struct finding *finding; /* (n) the most gain for its effort first */
    size_t n, cap;
    size_t checked;              /* rules that could be asked */
    const struct rule **unasked; /* (n_unasked) rules whose needs the run does not meet */
    size_t n_unasked;
    const char **gave_way; /* (n_gave_way) rules: what they found others tell */
    size_t n_gave_way, cap_gave_way;
    double step_ns; /* measured: untraced where known */
    bool untraced;
    size_t window_steps;     /* kept steps that are replayed; 0: all that is kept, once */
    int32_t rank;            /* row of the rank that was looked at */
    unsigned has;            /* bits of enum rule_needs that the run meets */
    double together_gain_ns; /* predicted: all of them, replayed together */
    double *roadmap_gain_ns; /* (n) predicted: the first i + 1, replayed together */
    double replay_error_frac; /* replayed unchanged over measured, less 1 */
    double unexplained_frac;  /* of what was replayed, what no edge explains */
    struct replay_tally tally;
    struct critical_path path; /* of the window, unchanged */
    struct account account;    /* what a step is made of */
    bool possible;             /* false: there is nothing to replay */
    enum no_replay why_not;
};

/* NO_REPLAY_NONE where the shown rank can be replayed. */
enum no_replay findings_why_not(const struct run *run, const struct analysis *analysis);

/* Is it there, and nobody knows what it costs? */
static inline bool finding_holds_unknown(const struct finding *x)
{
    return x->unpriced && x->holds_ns <= 0;
}

/* Is there a finding of the rule of this name? */
bool findings_have(const struct findings *f, const char *rule);

/* Edges of the graph that were inferred from times alone. */
size_t findings_inferred(const struct replay_tally *t);

/* For rules: a new finding of this rule; fill it in. It lives until the next call. */
struct finding *findings_add(struct findings *f, const struct rule *rule);

/* For rules that may add several findings: the names of its place, "" where there is one
 * alone. Names that hold numbers of a recording are none. */
void finding_set_place(struct finding *x, const char *name, const char *other);

/* For rules: the finding says what it holds, and why there is no price. */
void finding_withhold_price(struct finding *x, const char *why);

#endif
