/* From questions to edits. Each fills in *a (zeroed but for its question) or says in *err
 * why the run cannot be asked. Private to findings. */
#ifndef GAIT_FINDINGS_ASK_H
#define GAIT_FINDINGS_ASK_H

#include "findings/answer.h"

/* Does it begin in the steps that are replayed? */
bool ask_in_window(const struct evidence *e, int64_t span);

enum status ask_spans(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_no_wait(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_no_loader(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_batch(struct answer *a, const struct evidence *e, struct err *err);
enum status ask_network(struct answer *a, const struct evidence *e, struct err *err);

#endif
