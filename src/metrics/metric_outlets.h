/*
 * Where the metrics of a program can be seen while it runs, each off unless it is asked
 * for: a page for Prometheus, the same as a file for node_exporter's textfile collector,
 * messages to an OTLP collector.
 *
 * Legal order: metric_outlets_open, metric_outlets_put and metric_outlets_write_file …,
 * metric_outlets_close; all by one thread. None of it stops a training.
 */
#ifndef GAIT_METRICS_METRIC_OUTLETS_H
#define GAIT_METRICS_METRIC_OUTLETS_H

#include "base/status.h"
#include "metrics/metric_set.h"

struct metric_outlets; /* opaque */

struct metric_outlets_options {
    int port; /* of the page; 0: a free one, -1: no page */
    const char *address;
    const char *file; /* "": none */
    struct {
        const char *url; /* "": none */
        double interval_s;
    } otlp;
};

bool metric_outlets_wanted(const struct metric_outlets_options *o);
/* What the texts alone tell, before anything is opened. */
enum status metric_outlets_check(const struct metric_outlets_options *o, struct err *err);

/* Opens all that is wanted, and says where it is. The first page and the first message
 * have the values of first. The options' texts and the set's rows live as long as *out,
 * for which the caller calls metric_outlets_close(). */
enum status metric_outlets_open(struct metric_outlets **out,
                                const struct metric_outlets_options *o,
                                const struct metric_set *set,
                                const struct metric_values *first, struct err *err);

/* What page and messages show from now on. Waits for nothing, allocates nothing. */
void metric_outlets_put(struct metric_outlets *m, const struct metric_values *v);
/* The file, replaced by one with these values. */
void metric_outlets_write_file(struct metric_outlets *m, const struct metric_values *v);
/* Messages that did not arrive whole; -1: none are sent. */
int64_t metric_outlets_dropped(struct metric_outlets *m);

void metric_outlets_close(struct metric_outlets *m); /* NULL: nothing */

#endif
