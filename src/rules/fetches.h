/* The step's own waiting for its batch, on the main thread. */
#ifndef GAIT_RULES_FETCHES_H
#define GAIT_RULES_FETCHES_H

#include "price/finding.h"

struct fetches {
    struct edit_list edits;        /* all of them, taken out */
    const struct host_op *longest; /* NULL: there are none */
    size_t count;                  /* in the window */
    double traced_ns;              /* a step */
    double timed_ns;               /* a step without the tracer; NAN: not timed */
    double share_frac;             /* of a step: timed, else traced */
    double computing_frac; /* of a fetch its thread computed; the rest it waited; NAN: not
                              known */
    double stacking_frac;  /* of a fetch, putting its batch together; NAN: not timed */
    bool workers;          /* other processes load ahead */
};

/* The caller releases edits, or gives them to a finding. */
struct fetches fetches_find(const struct evidence *e);

/* The price of a batch that is always there since workers load ahead: edits (x has them
 * from now on), kind and range. Returns the part of fetching that stays. */
double fetches_price(struct finding *x, const struct evidence *e,
                     const struct fetches *f);

/* Are its items made without random numbers, and how large are they? */
struct items {
    bool same; /* whenever one is made; false: they differ, or it is not known */
    double count, bytes; /* bytes: of each */
    double free_bytes;   /* of the memory */
};
struct items fetches_items(const struct evidence *e);

/* The price of items that were made once, where x has that of workers: what is left of a
 * fetch is putting the batch together. */
void fetches_price_prepared(struct finding *x, const struct fetches *f);

#endif
