/*
 * Answers to a reader's own questions (question.h): each alone, and all of them replayed
 * together. Predicted, with the same intervals as the price of a finding.
 */
#ifndef GAIT_WHATIF_ANSWER_H
#define GAIT_WHATIF_ANSWER_H

#include "price/finding.h"
#include "whatif/question.h"

struct answer {
    struct question question;
    struct finding price;  /* its edits and predicted figures; it has no rule, and its
                              evidence is what was assumed beyond the replay, if anything */
    size_t matched;        /* spans of the replayed steps that it is about */
    double spans_per_step; /* the same, of one step */
    bool has_ceiling;      /* does "if all that took no time" mean anything? */
};

/* What a step hangs on: E(VALUE, "what the critical path waits for", kinds of edges) */
#define PATH_BIT(kind) (1u << GRAPH_EDGE_##kind)
#define PATH_PART_LIST(E)                                                                \
    E(HOST, "host: calls and what lies between them",                                    \
      PATH_BIT(ROOT) | PATH_BIT(HOST) | PATH_BIT(CALL) | PATH_BIT(NESTED) |              \
          PATH_BIT(HANDOFF))                                                             \
    E(DEVICE, "device: work and order on streams",                                       \
      PATH_BIT(WORK) | PATH_BIT(STREAM) | PATH_BIT(CROSS_STREAM) |                       \
          PATH_BIT(CONTENTION) | PATH_BIT(OPAQUE) | PATH_BIT(BACKLOG))                   \
    E(LAUNCH, "from a launch to its work", PATH_BIT(LAUNCH))                             \
    E(WAIT, "from work to the call that waits for it", PATH_BIT(WAIT) | PATH_BIT(QUEUE)) \
    E(COLLECTIVE, "all ranks meet", PATH_BIT(COLLECTIVE))
#define PATH_PART_VALUE(v, text, kinds) PATH_PART_##v,
enum path_part { PATH_PART_LIST(PATH_PART_VALUE) PATH_PART_COUNT };
extern const char *const path_part_text[PATH_PART_COUNT];

/* A question that has no answer, and why. */
struct refusal {
    struct question question;
    struct err err;
};

struct answers {
    struct answer *answer; /* (n) */
    size_t n;
    struct refusal *refused; /* (n_refused) */
    size_t n_refused;
    struct findings of; /* what was replayed, and how well; no findings */
    double together_gain_ns, together_low_ns, together_high_ns;
    struct critical_path before, after; /* unchanged, and with all of them */
    /* the same by part, of a step */
    double path_before_ns[PATH_PART_COUNT], path_after_ns[PATH_PART_COUNT];
};

/* NULL and *err where no question can be asked of this run. The run and the analysis
 * must outlive the answers. Free with answers_free(). */
struct answers *answers_new(const struct run *run, const struct analysis *analysis,
                            const struct question *question, size_t n, struct err *err);
void answers_free(struct answers *a); /* NULL is fine */

#endif
