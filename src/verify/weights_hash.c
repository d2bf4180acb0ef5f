#ifdef GAIT_TRAIN
#include "verify/weights_hash.h"

#include "base/mem.h"

struct content_hash_text weights_hash(const struct trainer *t)
{
    const struct param_table *order = &t->model.params.table;
    struct content_hash *hash = content_hash_new();
    for (size_t i = 0; i < order->n; i++) {
        const struct param *q = &order->param[i];
        real *value = mem_alloc((size_t)q->n * sizeof *value);
        param_store_get(&t->model.store, q, 0, q->n, value);
        content_hash_add(hash, value, (size_t)q->n * sizeof *value);
        mem_free(value);
    }
    struct content_hash_text text = content_hash_text(hash);
    content_hash_free(hash);
    return text;
}

#endif
