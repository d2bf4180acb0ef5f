/* Private to top: a curve drawn with braille, two by four dots a letter. */
#ifndef GAIT_TOP_TOP_CURVE_H
#define GAIT_TOP_TOP_CURVE_H

#include "live/live_curve.h"
#include "top/top_rows.h"

enum top_curve_what { TOP_CURVE_LOSS, TOP_CURVE_SPEED };

enum { TOP_CURVE_ROWS_MIN = 5 }; /* title, three of the curve, steps */

/* As so many rows, title and axis included. */
void top_curve(struct top_rows *r, const struct live_curve *c, enum top_curve_what what,
               int rows);

#endif
