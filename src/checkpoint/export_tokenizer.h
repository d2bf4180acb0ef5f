/* The tokenizer of an export: tokenizer.json where it is one that the tokenizers library
 * reads, with a tokenizer_config.json that lets AutoTokenizer load it. */
#ifndef GAIT_CHECKPOINT_EXPORT_TOKENIZER_H
#define GAIT_CHECKPOINT_EXPORT_TOKENIZER_H

#include "checkpoint/hf_model.h"

/* Write what there is of m's tokenizer into folder. *written: there was one of theirs.
 * m->special gets the ids of known tokens that begin and end a text, where it has none.
 */
enum status hf_tokenizer_write(bool *written, struct hf_model *m, const char *folder,
                               struct err *err);

#endif
