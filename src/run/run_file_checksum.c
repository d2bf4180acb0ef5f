/* Values are hashed as 8 bytes each, a column after the other as they lie in memory, so
 * that it costs next to nothing beside reading them. */
#include "run/run_file_checksum.h"

#include <math.h>
#include <string.h>

enum { CHUNK_VALUES = 512 };

static unsigned char *put_value(unsigned char *at, uint64_t bits)
{
    for (int i = 0; i < 8; i++)
        *at++ = (unsigned char)(bits >> 8 * i);
    return at;
}

/* As SQLite gives it back: NaN of any sort comes from NULL, -0 is stored as 0. */
static uint64_t real_bits(double v)
{
    uint64_t bits;
    if (isnan(v))
        return UINT64_C(0x7ff8000000000000);
    if (v == 0)
        v = 0;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void add_number(struct content_hash *h, uint64_t v)
{
    unsigned char bytes[8];
    put_value(bytes, v);
    content_hash_add(h, bytes, sizeof bytes);
}

static void add_column(struct content_hash *h, const struct table *t,
                       const struct column_def *c)
{
    unsigned char chunk[CHUNK_VALUES * 8];
    for (size_t i = 0; i < t->n;) {
        unsigned char *end = chunk;
        for (; i < t->n && end < chunk + sizeof chunk; i++)
            end = put_value(end, c->type == COLUMN_F64
                                     ? real_bits(((const double *)column_data(t, c))[i])
                                     : (uint64_t)column_get_int(t, c, i));
        content_hash_add(h, chunk, (size_t)(end - chunk));
    }
}

static void add_names(struct content_hash *h, const struct names *names)
{
    add_number(h, names->n);
    for (size_t i = 0; i < names->n; i++) {
        add_number(h, names->len[i]);
        content_hash_add(h, names->str[i], names->len[i]);
    }
}

static void add_table(struct content_hash *h, const struct run *r, enum run_table which)
{
    const struct table_def *def = &run_table_def[which];
    const struct table *t = run_table_const(r, which);
    add_number(h, t->n);
    for (size_t ci = 0; ci < def->n_columns; ci++)
        add_column(h, t, &def->columns[ci]);
}

const char *run_checksum_table(int which)
{
    return which == RUN_CHECKSUM_NAMES ? "names"
                                       : run_table_def[which - RUN_CHECKSUM_TABLES].name;
}

struct content_hash_text run_checksum(const struct run *r, int which)
{
    struct content_hash *h = content_hash_new();
    if (which == RUN_CHECKSUM_NAMES)
        add_names(h, &r->names);
    else
        add_table(h, r, which - RUN_CHECKSUM_TABLES);
    struct content_hash_text text = content_hash_text(h);
    content_hash_free(h);
    return text;
}
