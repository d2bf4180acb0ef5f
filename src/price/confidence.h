/*
 * How far a price can be trusted, from what it rests on: how much of the replayed window
 * no edge explains, how many edges were inferred, whether the replacement's cost was
 * measured, how well the clocks of ranks agree beside what they wait. Where the ground is
 * too thin there is no price: docs/findings.md, "Confidence".
 */
#ifndef GAIT_PRICE_CONFIDENCE_H
#define GAIT_PRICE_CONFIDENCE_H

struct evidence;
struct finding;

/* E(VALUE, "as told") */
#define CONFIDENCE_LIST(E)                                                               \
    E(HIGH, "high")                                                                      \
    E(MEDIUM, "medium")                                                                  \
    E(LOW, "low")
#define CONFIDENCE_VALUE(v, text) CONFIDENCE_##v,
enum confidence { CONFIDENCE_LIST(CONFIDENCE_VALUE) CONFIDENCE_COUNT };
extern const char *const confidence_text[CONFIDENCE_COUNT];

/* Of the replayed window of all ranks, what no edge explains. */
double confidence_unexplained_frac(const struct evidence *e);
/* Sets the finding's confidence, its reason, and whether it has a price at all. */
void confidence_set(struct finding *x, const struct evidence *e);

#endif
