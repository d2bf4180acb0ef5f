/* All weights of a trainer as one hash: equal bit by bit, or not. Private to verify. */
#ifndef GAIT_VERIFY_WEIGHTS_HASH_H
#define GAIT_VERIFY_WEIGHTS_HASH_H

#include "base/content_hash.h"
#include "train/trainer.h"

struct content_hash_text weights_hash(const struct trainer *t);

#endif
