/*
 * What a training says of itself while it runs: one small JSON file a process, replaced
 * about once a second, from which `gait top` draws its screen. docs/top.md describes it.
 *
 * To add a number or a text: a word in one of the lists below; the writer, the reader and
 * `gait top --json` are made from them.
 */
#ifndef GAIT_LIVE_LIVE_STATUS_H
#define GAIT_LIVE_LIVE_STATUS_H

#include "base/status.h"
#include "base/strbuf.h"
#include "live/live_curve.h"
#include "run/run.h"

#include <stdbool.h>

enum { LIVE_VERSION = 1, LIVE_TEXT_MAX = 1024, LIVE_FILE_BYTES_MAX = 1 << 20 };

#define LIVE_DOING_LIST(E)                                                               \
    E(STARTING, "starting")                                                              \
    E(TRAINING, "training")                                                              \
    E(VALIDATING, "validating")                                                          \
    E(SAVING, "saving")                                                                  \
    E(ENDED, "ended")                                                                    \
    E(FAILED, "failed")
#define LIVE_DOING_VALUE(v, text) LIVE_DOING_##v,
enum live_doing { LIVE_DOING_LIST(LIVE_DOING_VALUE) LIVE_DOING_COUNT };
extern const char *const live_doing_text[LIVE_DOING_COUNT];

/* boot and process_start tell the process from a later one of the same number. Folders
 * are absolute, or "". said: why it failed. */
#define LIVE_TEXTS(T)                                                                    \
    T(boot) T(host) T(model) T(dataset) T(folder) T(checkpoint_dir) T(log_dir) T(said)
/* Times of day in ns since 1970; process_start in ticks since the machine's start. */
#define LIVE_TIMES(I) I(process_start) I(begun_ns) I(written_ns) I(saved_ns)
/* Steps are counted from 1; 0: none yet. */
#define LIVE_COUNTS(I)                                                                   \
    I(pid)                                                                               \
    I(first_step)                                                                        \
    I(step)                                                                              \
    I(steps)                                                                             \
    I(validation_step)                                                                   \
    I(saved_step)                                                                        \
    I(failed_saves)                                                                      \
    I(skipped_steps)                                                                     \
    I(ranks)
/* Without "average_": since the file was written before. NAN: not known. */
#define LIVE_REALS(R)                                                                    \
    R(loss)                                                                              \
    R(validation_loss)                                                                   \
    R(learning_rate)                                                                     \
    R(gradient_norm)                                                                     \
    R(steps_per_s)                                                                       \
    R(average_steps_per_s)                                                               \
    R(tokens_per_step)                                                                   \
    R(data_wait_frac)                                                                    \
    R(average_data_wait_frac)                                                            \
    R(plan_bytes)                                                                        \
    R(peak_rss_bytes)                                                                    \
    R(limit_bytes)                                                                       \
    R(validation_s)                                                                      \
    R(saving_s)

#define LIVE_TEXT_FIELD(name) char name[LIVE_TEXT_MAX];
#define LIVE_INT_FIELD(name) int64_t name;
#define LIVE_REAL_FIELD(name) double name;
struct live_status {
    enum live_doing doing;
    LIVE_TEXTS(LIVE_TEXT_FIELD)
    LIVE_TIMES(LIVE_INT_FIELD)
    LIVE_COUNTS(LIVE_INT_FIELD)
    LIVE_REALS(LIVE_REAL_FIELD)
    double phase_s[PHASE_COUNT]; /* per step, since the file was written before */
    struct live_curve curve;
};

void live_status_init(struct live_status *s); /* numbers that are not known are NAN */

/* How long the steps that are left take, in seconds, by the faster and by the slower of
 * the recent and the average rate; false where there is no rate or nothing left. */
bool live_status_eta(const struct live_status *s, double *least_s, double *most_s);

/* The file's text, after what out has. Allocates nothing where out has the room. */
void live_status_text(struct strbuf *out, const struct live_status *s);
/* STATUS_INPUT where the text is not such a file; *s is valid all the same. Numbers that
 * no training writes are not known: integers and durations are 0 or more, what is real is
 * finite or NAN, the steps of the curve rise. */
enum status live_status_read(struct live_status *s, const char *text, size_t len,
                             struct err *err);

#endif
