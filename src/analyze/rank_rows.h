/* Rows of a table, those of a rank together and in their order: a thousand ranks are then
 * passed over in the time of their rows. */
#ifndef GAIT_ANALYZE_RANK_ROWS_H
#define GAIT_ANALYZE_RANK_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct rank_rows {
    size_t *at;    /* (ranks + 1) rows of rank r: row[at[r]] to row[at[r + 1] - 1] */
    uint32_t *row; /* rows without a rank (-1) are left out */
};

/* rank is the table's column, of n rows. Release with rank_rows_release(). */
void rank_rows_init(struct rank_rows *r, const int32_t *rank, size_t n, size_t ranks);
void rank_rows_release(struct rank_rows *r);

#endif
