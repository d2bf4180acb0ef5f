/*
 * The weight files of a Hugging Face directory as one table of tensors:
 * model.safetensors, or the shards that model.safetensors.index.json lists. File names in
 * the index are plain names of files in the same folder, and nothing else.
 */
#ifndef GAIT_CHECKPOINT_HF_INDEX_H
#define GAIT_CHECKPOINT_HF_INDEX_H

#include "base/json_read.h"
#include "checkpoint/safetensors.h"

struct hf_entry {
    const struct safetensors_file *file;
    const struct safetensor *tensor;
};

struct hf_index {
    struct safetensors_file *file; /* (n_files) */
    size_t n_files, cap_files;
    struct hf_entry *entry; /* (n) by name */
    size_t n;
};

/* On OK the caller calls hf_index_close(). */
enum status hf_index_open(struct hf_index *x, const char *dir, struct err *err);
void hf_index_close(struct hf_index *x);
/* NULL where there is none. */
const struct hf_entry *hf_index_find(const struct hf_index *x, const char *name);

/* Is a name from the index one that may be opened? */
bool hf_shard_name_is_safe(const char *name);
/* The part of an index that can be checked without its shards. */
enum status hf_index_check(const struct json *root, struct err *err);

extern const char hf_single_name[]; /* model.safetensors */
extern const char hf_index_name[];  /* model.safetensors.index.json */

#endif
