/* The renderers behind report_render(). Three draw a view; JSON and its brief form give
 * the figures themselves. */
#ifndef GAIT_REPORT_RENDER_H
#define GAIT_REPORT_RENDER_H

#include "report/view.h"

/* The view loses rows of its tables until it fits one screen. */
void render_terminal(struct strbuf *out, struct view *v);
void render_markdown(struct strbuf *out, const struct view *v);
void render_html(struct strbuf *out, const struct view *v);
void render_json(struct strbuf *out, const struct analysis *a,
                 const struct report_options *options);
void render_json_answers(struct strbuf *out, const struct analysis *a,
                         const struct answers *answers);
/* All rules, or this one; of all findings of these, or of this index alone. */
void render_json_rules(struct strbuf *out, const struct analysis *a,
                       const struct findings *f, const struct rule *rule);
void render_json_one_finding(struct strbuf *out, const struct analysis *a,
                             const struct findings *f, size_t finding);
void render_brief(struct strbuf *out, const struct analysis *a,
                  const struct report_options *options);
void render_brief_answers(struct strbuf *out, const struct analysis *a,
                          const struct answers *answers,
                          const struct report_options *options);
void render_brief_rules(struct strbuf *out, const struct analysis *a,
                        const struct rule *rule, const struct report_options *options);
void render_brief_finding(struct strbuf *out, const struct analysis *a, size_t finding,
                          const struct report_options *options);
void render_json_comparison(struct strbuf *out, const struct comparison *c,
                            const struct report_options *options);

#endif
