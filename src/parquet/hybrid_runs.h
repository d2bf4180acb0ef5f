/*
 * Parquet's hybrid of runs and packed bits, for small numbers: which values of an optional
 * column are there, and which entry of the dictionary each one is. Private to parquet.
 */
#ifndef GAIT_PARQUET_HYBRID_RUNS_H
#define GAIT_PARQUET_HYBRID_RUNS_H

#include "base/strbuf.h"

#include <stdint.h>

/* Bits that hold every value up to max; at least 1. */
int hybrid_bits(uint32_t max);
void hybrid_runs_add(struct strbuf *out, const uint32_t *value, size_t n, int bits);

#endif
