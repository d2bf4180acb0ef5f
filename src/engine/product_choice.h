/*
 * Whose product was faster, kept in a file of the user's cache folder: one line a shape,
 * machine and build, so that a run chooses as the one before did. Of two lines for the
 * same, the first counts: processes that measure at once agree afterwards.
 */
#ifndef GAIT_ENGINE_PRODUCT_CHOICE_H
#define GAIT_ENGINE_PRODUCT_CHOICE_H

#include "engine/product.h"

/* False where nothing is known, *maker as it was. Reads the file anew. */
bool product_choice_find(enum product_maker *maker, const struct product_shape *shape);

/* Can a line be kept? A file to append to, for product_choice_keep(), or -1. */
int product_choice_begin(void);
/* Closes the file. What cannot be written is not kept. */
void product_choice_keep(int file, const struct product_shape *shape,
                         const double ns[PRODUCT_MAKERS]);

#endif
