#include "record/process_model.h"

#include "base/mem.h"

#include <math.h>

/* How many each row has: src/record/contract.h says what they are. */
enum { LOSS_CELLS = 3, PARAMETER_CELLS = 2, MOVEMENT_CELLS = 8 };

/* The cells of a row that has so many; false: it is none. */
static bool cells_of(const struct json *cell[], size_t n, const struct json *row)
{
    if (row->kind != JSON_KIND_ARRAY || row->n != n)
        return false;
    const struct json *j = row->child;
    for (size_t i = 0; i < n; i++, j = j->next)
        cell[i] = j;
    return true;
}

static bool is_count(int64_t v)
{
    return v >= 0 && v <= RUN_TIME_MAX_NS;
}

/* A number, or null for one that is not finite. */
static bool is_measured(const struct json *j)
{
    return j->kind == JSON_KIND_NULL || isfinite(json_double_or(j, NAN));
}

/* A list that may be missing: NULL then. */
static enum status list_of(const struct process_file *p, enum record_key key,
                           const struct json **first, struct err *err)
{
    const struct json *list = contract_get(p->root, key);
    *first = NULL;
    if (list && list->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "\"%s\" is not a list", record_key_text[key]);
    *first = list ? list->child : NULL;
    return STATUS_OK;
}

static enum status malformed(enum record_key key, struct err *err)
{
    return err_set(err, STATUS_INPUT, "\"%s\" has a malformed row", record_key_text[key]);
}

static enum status add_loss(struct run *one, const struct json *row, struct err *err)
{
    const struct json *cell[LOSS_CELLS];
    if (!cells_of(cell, LOSS_CELLS, row) || !is_count(json_int_or(cell[0], -1)) ||
        !is_measured(cell[1]) || !is_count(json_int_or(cell[2], -1)))
        return malformed(RECORD_KEY_FILE_LOSSES, err);
    losses_add(&one->losses, (struct loss){.rank = 0,
                                           .step = json_int_or(cell[0], 0),
                                           .split = SPLIT_TRAIN,
                                           .loss = json_double_or(cell[1], NAN)});
    return STATUS_OK;
}

struct parameters {
    struct parameter {
        name_id name;
        int64_t elements;
    } * p; /* (n) */
    size_t n, cap;
};

static enum status add_parameter(struct parameters *all, struct run *one,
                                 const struct json *row, struct err *err)
{
    const struct json *cell[PARAMETER_CELLS];
    if (!cells_of(cell, PARAMETER_CELLS, row) || cell[0]->kind != JSON_KIND_STRING ||
        !is_count(json_int_or(cell[1], -1)))
        return malformed(RECORD_KEY_FILE_PARAMETERS, err);
    vec_grow(all->p, all->cap, all->n + 1);
    all->p[all->n++] =
        (struct parameter){.name = names_add_z(&one->names, json_string_or(cell[0], "")),
                           .elements = json_int_or(cell[1], 0)};
    return STATUS_OK;
}

static enum status add_movement(struct run *one, const struct parameters *all,
                                const struct json *row, struct err *err)
{
    const struct json *cell[MOVEMENT_CELLS];
    if (!cells_of(cell, MOVEMENT_CELLS, row))
        return malformed(RECORD_KEY_FILE_MOVEMENTS, err);
    int64_t parameter = json_int_or(cell[0], -1), what = json_int_or(cell[1], -1);
    int64_t step = json_int_or(cell[2], -1);
    bool sound = parameter >= 0 && parameter < (int64_t)all->n && what >= 0 &&
                 what < MOVED_KIND_COUNT && is_count(step);
    for (int i = 3; i < MOVEMENT_CELLS; i++)
        sound = sound && is_measured(cell[i]);
    if (!sound)
        return malformed(RECORD_KEY_FILE_MOVEMENTS, err);
    movements_add(&one->movements,
                  (struct movement){.rank = 0,
                                    .name = all->p[parameter].name,
                                    .elements = all->p[parameter].elements,
                                    .what = (enum moved_kind)what,
                                    .step = step,
                                    .norm = json_double_or(cell[3], NAN),
                                    .along0 = json_double_or(cell[4], NAN),
                                    .along1 = json_double_or(cell[5], NAN),
                                    .along2 = json_double_or(cell[6], NAN),
                                    .along3 = json_double_or(cell[7], NAN)});
    return STATUS_OK;
}

static enum status add_movements(struct run *one, const struct process_file *p,
                                 struct err *err)
{
    const struct json *row;
    struct parameters all = {0};
    enum status st = list_of(p, RECORD_KEY_FILE_PARAMETERS, &row, err);
    for (; row && !st; row = row->next)
        st = add_parameter(&all, one, row, err);
    if (!st)
        st = list_of(p, RECORD_KEY_FILE_MOVEMENTS, &row, err);
    for (; row && !st; row = row->next)
        st = add_movement(one, &all, row, err);
    mem_free(all.p);
    return st;
}

enum status process_model_add(struct run *one, const struct process_file *p,
                              struct err *err)
{
    const struct json *row;
    enum status st = list_of(p, RECORD_KEY_FILE_LOSSES, &row, err);
    for (; row && !st; row = row->next)
        st = add_loss(one, row, err);
    return st ? st : add_movements(one, p, err);
}
