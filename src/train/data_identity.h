/* Are the data those that a checkpoint was trained on? A run goes on exactly only then.
 */
#ifndef GAIT_TRAIN_DATA_IDENTITY_H
#define GAIT_TRAIN_DATA_IDENTITY_H

#include "data/dataset.h"

/* Counts of tokens and a hash of some thousand of them, spread over both parts. */
struct data_identity {
    char text[64];
};
struct data_identity data_identity(const struct dataset *d);

/* Compare the tokenizer with the one saved at path; another one is an error, for tokens
 * would mean something else than what the weights know. */
enum status tokenizer_check_same(const struct tokenizer *t, const char *path,
                                 struct err *err);

#endif
