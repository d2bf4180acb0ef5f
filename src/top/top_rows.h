/* Private to top: lines of a screen. What is put on a line is there as a whole, or not at
 * all where the line has no room left; so what matters is put first. */
#ifndef GAIT_TOP_TOP_ROWS_H
#define GAIT_TOP_TOP_ROWS_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { TOP_ROWS_CAP = 256 };

struct top_row {
    struct strbuf text; /* with colours */
    int used;           /* columns */
    int spare;          /* 0: always shown; rows with more go first */
};

struct top_rows {
    struct top_row row[TOP_ROWS_CAP];
    int n;
    int columns;
    bool colour;
};

void top_rows_init(struct top_rows *r, int columns, bool colour);
void top_rows_release(struct top_rows *r);

/* The rest puts text on the row that was begun last. style: of ANSI, "" for none. */
void top_row_begin(struct top_rows *r, int spare);
/* False: it did not fit, and nothing was put. */
bool top_put(struct top_rows *r, const char *style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What does not fit is shortened in its middle. text may come from anywhere. */
void top_put_short(struct top_rows *r, const char *style, const char *text);
/* The same, going on in further rows that can be spared like this one. */
void top_put_wrapped(struct top_rows *r, const char *style, const char *text);
int top_room(const struct top_rows *r); /* columns left on it */

/* Leave out rows until `most` are left, those that can be spared most first. */
void top_rows_fit(struct top_rows *r, int most);
void top_rows_print(struct strbuf *out, const struct top_rows *r);

#endif
