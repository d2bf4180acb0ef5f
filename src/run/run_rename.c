#include "run/run_rename.h"

#include "base/mem.h"
#include "run/table_def.h"

#include <string.h>

enum { NOT_YET = -1 };

struct renaming {
    const struct run_renaming *how;
    const struct run *run;
    struct names *to;
    int64_t *known; /* (n_classes, names) the new id, or NOT_YET */
    struct strbuf text;
};

static name_id renamed(struct renaming *x, name_id old, int class)
{
    int64_t *known = &x->known[(size_t) class * x->run->names.n + old];
    if (*known == NOT_YET) {
        strbuf_clear(&x->text);
        x->how->rename(&x->text, names_str(&x->run->names, old), class, x->how->context);
        *known = names_add(x->to, x->text.s, x->text.len);
    }
    return (name_id)*known;
}

/* The new ids of a column go to another array: facts are classed by their old keys. */
static void rename_column(struct renaming *x, const struct table_def *def,
                          const struct column_def *c, const struct table *t,
                          name_id *fresh, bool late)
{
    const struct run_renaming *how = x->how;
    int of_all = how->class_of(def->name, c->name, how->context);
    for (size_t i = 0; i < t->n; i++) {
        int class = of_all != RENAME_BY_ROW
                        ? of_all
                        : how->class_of_row(x->run, def->name, i, how->context);
        if ((class == how->late_class) == late)
            fresh[i] = renamed(x, (name_id)column_get_int(t, c, i), class);
    }
}

enum { NAME_COLUMNS_MAX = 128 };

/* Every column of names, in the order of the schema. */
static void rename_all(struct renaming *x, name_id *fresh[NAME_COLUMNS_MAX], bool late)
{
    size_t n = 0;
    for (int which = 0; which < RUN_TABLE_COUNT; which++) {
        const struct table_def *def = &run_table_def[which];
        const struct table *t = run_table_const(x->run, which);
        for (size_t c = 0; c < def->n_columns; c++) {
            if (def->columns[c].type != COLUMN_NAME)
                continue;
            if (n == NAME_COLUMNS_MAX)
                BUG("more than %d columns of names", NAME_COLUMNS_MAX);
            if (!late)
                fresh[n] = mem_zalloc(t->n + 1, sizeof *fresh[n]);
            rename_column(x, def, &def->columns[c], t, fresh[n], late);
            n++;
        }
    }
}

static void put_back(struct run *r, name_id *fresh[NAME_COLUMNS_MAX])
{
    size_t n = 0;
    for (int which = 0; which < RUN_TABLE_COUNT; which++) {
        const struct table_def *def = &run_table_def[which];
        struct table *t = run_table(r, which);
        for (size_t c = 0; c < def->n_columns; c++) {
            if (def->columns[c].type != COLUMN_NAME)
                continue;
            for (size_t i = 0; i < t->n; i++)
                column_set_int(t, &def->columns[c], i, fresh[n][i]);
            mem_free(fresh[n++]);
        }
    }
}

void run_rename(struct run *r, const struct run_renaming *how)
{
    struct names names;
    name_id *fresh[NAME_COLUMNS_MAX] = {0};
    size_t cells = r->names.n * (size_t)how->n_classes;
    struct renaming x = {.how = how, .run = r, .to = &names};
    names_init(&names);
    strbuf_init(&x.text);
    x.known = mem_alloc(cells * sizeof *x.known);
    for (size_t i = 0; i < cells; i++)
        x.known[i] = NOT_YET;
    rename_all(&x, fresh, false);
    rename_all(&x, fresh, true);
    put_back(r, fresh);
    names_release(&r->names);
    r->names = names;
    mem_free(x.known);
    strbuf_release(&x.text);
}
