/* From questions to edits. Each fills in *a (zeroed but for its question) or says in *err
 * why the run cannot be asked. */
#ifndef GAIT_WHATIF_ASK_H
#define GAIT_WHATIF_ASK_H

#include "whatif/answer.h"

/* Does it begin in the steps that are replayed? */
bool ask_in_window(const struct evidence *e, int64_t span);

enum status ask_spans(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_no_wait(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_no_loader(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_batch(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_network(struct answer *a, const struct evidence *e, struct err *err);

#endif
