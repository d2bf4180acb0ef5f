#include "train/tensor_list.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Where a tensor's numbers are: a parameter's in the store, a moment's at `moment`. */
struct tensor_place {
    struct param_store *store;
    const struct param *param;
    real *moment;                  /* or NULL */
    char name[PARAM_NAME_MAX + 2]; /* of a moment: m.<parameter> */
};

static void get_weight(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       float *out)
{
    const struct tensor_place *p = t->owner;
    param_store_get(p->store, p->param, first, n, out);
}

static void put_weight(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       const float *in)
{
    const struct tensor_place *p = t->owner;
    param_store_put(p->store, p->param, first, n, in);
}

static void get_moment(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       float *out)
{
    const struct tensor_place *p = t->owner;
    memcpy(out, p->moment + first, (size_t)n * sizeof *out);
}

static void put_moment(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                       const float *in)
{
    const struct tensor_place *p = t->owner;
    memcpy(p->moment + first, in, (size_t)n * sizeof *in);
}

static struct checkpoint_tensor tensor_at(struct tensor_place *place, const char *name,
                                          bool moment)
{
    const struct param *p = place->param;
    return (struct checkpoint_tensor){.name = name,
                                      .dims = p->dims,
                                      .shape = {p->shape[0], p->shape[1]},
                                      .owner = place,
                                      .get = moment ? get_moment : get_weight,
                                      .put = moment ? put_moment : put_weight};
}

static void add_moments(struct tensor_list *l, struct tensor_place *place, real *moments,
                        char letter, const struct param_table *table)
{
    for (size_t i = 0; i < table->n; i++, place++) {
        place->param = &table->param[i];
        place->moment = moments + place->param->offset;
        snprintf(place->name, sizeof place->name, "%c.%s", letter, place->param->name);
        l->moments[l->n_moments++] = tensor_at(place, place->name, true);
    }
}

void tensor_list_init(struct tensor_list *l, const struct param_table *table,
                      struct param_store *store, const struct optimizer *o)
{
    size_t n = table->n;
    l->places = mem_zalloc(3 * n, sizeof *l->places);
    l->weights = mem_zalloc(n, sizeof *l->weights);
    l->moments = mem_zalloc(2 * n, sizeof *l->moments);
    l->n_weights = n;
    l->n_moments = 0;
    for (size_t i = 0; i < n; i++) {
        l->places[i] = (struct tensor_place){.store = store, .param = &table->param[i]};
        l->weights[i] = tensor_at(&l->places[i], table->param[i].name, false);
    }
    if (o && o->m)
        add_moments(l, l->places + n, o->m, 'm', table);
    if (o && o->v)
        add_moments(l, l->places + 2 * n, o->v, 'v', table);
}

void tensor_list_release(struct tensor_list *l)
{
    mem_free(l->weights);
    mem_free(l->moments);
    mem_free(l->places);
    memset(l, 0, sizeof *l);
}
