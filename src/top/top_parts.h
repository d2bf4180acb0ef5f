/* Private to top: what stands above the curve. */
#ifndef GAIT_TOP_TOP_PARTS_H
#define GAIT_TOP_TOP_PARTS_H

#include "base/units.h"
#include "top/top_rows.h"
#include "top/top_screen.h"

void top_put_head(struct top_rows *r, const struct top_view *v);
void top_put_pace(struct top_rows *r, const struct top_view *v);
void top_put_step(struct top_rows *r, const struct live_status *s);
void top_put_memory(struct top_rows *r, const struct live_status *s);
void top_put_saves(struct top_rows *r, const struct top_view *v);

bool top_goes_on(const struct top_view *v); /* neither ended nor died */

/* In whole seconds: nobody reads more of what changes every second. */
struct unit_text top_duration(double s);

/* In which turn rows go where the screen is low: the highest first. */
enum top_spare {
    TOP_SPARE_NEVER,
    TOP_SPARE_DATA,
    TOP_SPARE_LEGEND,
    TOP_SPARE_SAVES,
    TOP_SPARE_MODEL,
    TOP_SPARE_BLANK,
};

enum { TOP_LABEL_COLUMNS = 11 };

#endif
