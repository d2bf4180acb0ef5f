/* Sentences of a finding, put together in a text of fixed size; what does not fit is cut.
 */
#ifndef GAIT_FINDINGS_TOLD_H
#define GAIT_FINDINGS_TOLD_H

#include "base/units.h"

#include <stddef.h>

/* Append, as printf does, to text of this size. */
__attribute__((format(printf, 3, 4))) void told_add(char *text, size_t size,
                                                    const char *fmt, ...);

/* So many of something, a step. */
struct told_part {
    double count;
    const char *one, *many;
};

/* Append "2 clones, 1 cast and 2.5 changes": without what there is none of. */
void told_parts(char *text, size_t size, const struct told_part *parts, size_t n);

#endif
