/*
 * Text of others in Markdown, as GitHub and GitLab read it: names of kernels, parameters
 * and files stay text, in a report, a log or the comment of a pull request. Takes clean
 * text (base/text_fit.h): no line break begins a block.
 */
#ifndef GAIT_BASE_MARKDOWN_H
#define GAIT_BASE_MARKDOWN_H

#include "base/strbuf.h"

/* Append s as text, in a line, at its beginning or in the cell of a table. Nothing in it is
 * markup or HTML, mentions a person or an issue, or becomes a link. */
void markdown_text(struct strbuf *out, const char *s);
/* Append s as a span of code, whatever backticks it holds; not in a table, whose cells a
 * bar would end. */
void markdown_code(struct strbuf *out, const char *s);

#endif
