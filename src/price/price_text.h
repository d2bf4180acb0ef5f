/*
 * A predicted gain as text: the same words wherever a finding is told, in a report or
 * beside a line of source. Texts live in the arena.
 */
#ifndef GAIT_PRICE_PRICE_TEXT_H
#define GAIT_PRICE_PRICE_TEXT_H

#include "base/arena.h"
#include "price/finding.h"

const char *price_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "117.5 ms", with digits by its size. */
const char *price_step_ms(struct arena *a, double ns);
/* With as many digits as the step, so that a column of them lines up. */
const char *price_part_ms(struct arena *a, double step_ns, double ns);
/* "−33 %", "−1.2 %" */
const char *price_change(struct arena *a, double step_ns, double gain_ns);
/* "117.5 ms (−33 %)": a step with such a gain. */
const char *price_predicted(struct arena *a, double step_ns, double gain_ns);

bool gain_may_be_none(const struct gain *g);
/* "105.4 to 144.2 ms", "at least 105.4 ms", "up to 144.2 ms" */
const char *price_interval(struct arena *a, double step_ns, const struct gain *g);
/* The same as words: "90 % within 105.4 to 144.2 ms" */
const char *price_interval_words(struct arena *a, double step_ns, const struct gain *g);

/* Of a gain that is not of the step itself: for one sample, or as it is. */
const char *price_apart_ms(struct arena *a, double step_ns, const struct finding *x,
                           double gain_ns);
/* "1.20 ms less per sample", "1.20 ms less outside the step" */
const char *price_apart(struct arena *a, double step_ns, const struct finding *x);

/* What a step takes without it, with its interval, or why that is not predicted. */
const char *price_told(struct arena *a, double step_ns, const struct finding *x);

#endif
