/* A roofline in letters, a letter an operator. */
#ifndef GAIT_REPORT_ROOFLINE_TEXT_H
#define GAIT_REPORT_ROOFLINE_TEXT_H

#include "report/view.h"

/* Up to `letters` operators, listed below the picture. Nothing where it cannot be drawn. */
void roofline_text(struct strbuf *out, const struct roofline *r, size_t letters);

#endif
