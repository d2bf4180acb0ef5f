/*
 * Whose product is faster? Measured once for each shape, in turns, and kept in a file of
 * the user's cache folder, one line a shape, machine and build, so that a run chooses as
 * the one before did: another choice would be other last bits. Where nothing can be kept,
 * oneDNN makes them all.
 */
#ifndef GAIT_ENGINE_PRODUCT_CHOICE_H
#define GAIT_ENGINE_PRODUCT_CHOICE_H

#include "engine/product.h"

enum status product_choose(enum product_maker *maker, const struct product_shape *shape,
                           struct err *err);

#endif
