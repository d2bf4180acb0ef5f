/* The ways to open a data set, one a source; dataset.c chooses and splits. Private. */
#ifndef GAIT_DATA_DATASET_PARTS_H
#define GAIT_DATA_DATASET_PARTS_H

#include "data/dataset.h"
#include "data/folder_list.h"

/* Each fills tokenizer, vocabulary and train, and validation where there is one of its
 * own; on failure the caller closes d. */
enum status dataset_open_builtin(struct dataset *d, const struct dataset_options *o,
                                 struct err *err);
enum status dataset_open_text(struct dataset *d, const struct dataset_options *o,
                              const char *const *path, size_t paths, struct err *err);
/* dir holds the files, for what stands beside them. */
enum status dataset_open_tokens(struct dataset *d, const struct dataset_options *o,
                                const char *dir, const struct folder_list *files,
                                struct err *err);
enum status dataset_open_prepared(struct dataset *d, const struct dataset_options *o,
                                  const char *dir, struct err *err);

/* tokenizer: is it left to the data set? */
bool dataset_tokenizer_is_auto(const struct dataset_options *o);
/* Map a file and add it to a range. shard: what the index says of it, or NULL. */
struct prepared_shard;
enum status dataset_add_file(struct dataset *d, struct token_range *to, const char *path,
                             int width, const struct prepared_shard *shard,
                             struct err *err);
/* Where no validation was opened, cut it from the end of train; then both must hold a
 * window. */
enum status dataset_split(struct dataset *d, const struct dataset_options *o,
                          struct err *err);

#endif
