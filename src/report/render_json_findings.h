/* Findings and what was predicted, as all commands give them. Private to render_json*.c.
 */
#ifndef GAIT_REPORT_RENDER_JSON_FINDINGS_H
#define GAIT_REPORT_RENDER_JSON_FINDINGS_H

#include "base/json_writer.h"
#include "findings/findings.h"

/* Keys "findings", "findings_note", "together", "roadmap", "checked", "not_checked" and
 * "replay". f may be NULL. */
void json_findings(struct json_writer *w, const struct analysis *a,
                   const struct findings *f);

/* One of them, an object. */
void json_finding(struct json_writer *w, const struct findings *f, size_t index);
/* Key "price" of what has no rule too: the answer to a question. A ceiling of NAN is
 * null. */
void json_price(struct json_writer *w, const struct findings *f, const struct finding *x);
/* The numbers of a text, an array. */
void json_quantities(struct json_writer *w, const char *key,
                     const struct quantity *quantity, size_t n);
/* An object: f's step with such a gain. */
void json_step_with_gain(struct json_writer *w, const struct findings *f,
                         const struct gain *g);
/* Key "replay"; null where nothing was replayed. */
void json_replay(struct json_writer *w, const struct analysis *a,
                 const struct findings *f);
/* Key "lacks": bits of enum rule_needs as words. */
void json_lacks(struct json_writer *w, unsigned needs);

#endif
