/* The weights of a model into one safetensors file or several with an index. */
#ifndef GAIT_CHECKPOINT_HF_SHARDS_H
#define GAIT_CHECKPOINT_HF_SHARDS_H

#include "checkpoint/hf_export.h"
#include "checkpoint/hf_model.h"

enum { HF_FILE_NAME_MAX = 64 };

/* Which tensors go into which file: in the order of the layout, a new one where the next
 * tensor would exceed the limit. */
struct hf_shards {
    size_t *shard; /* (layout.n) of each tensor, from 0 */
    size_t n;
    uint64_t bytes;     /* of all tensors */
    int64_t parameters; /* numbers of all tensors */
};

void hf_shards_plan(struct hf_shards *p, const struct hf_layout *layout,
                    const struct hf_export_options *options);
void hf_shards_release(struct hf_shards *p);
/* model.safetensors, or model-00001-of-00003.safetensors for i = 0. */
void hf_shard_name(char name[HF_FILE_NAME_MAX], const struct hf_shards *p, size_t i);

/* All files, and the index where there are several, into a folder that exists. */
enum status hf_shards_write(const struct hf_shards *p, const char *folder,
                            const struct hf_model *m,
                            const struct hf_export_options *options, struct err *err);

#endif
