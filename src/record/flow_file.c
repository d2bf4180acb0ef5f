#include "record/flow_file.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "record/contract.h"
#include "run/record_facts.h"

#include <endian.h>
#include <string.h>

enum { VALUE_BYTES = 8, NOTES_MAX = 16 };
#define HEAD_MAX_BYTES ((size_t)16 << 20) /* as a tree it takes far more */

struct flow {
    struct run *run;
    struct arena arena;
    const struct json *head;
    const char *column[FLOW_COLUMN_COUNT];
    size_t rows[FLOW_TABLE_COUNT];
    bool bad; /* a value is out of range */
};

/* Texts of the head, by their places. */
struct texts {
    name_id *id; /* (n) */
    size_t n;
};

static enum status wrong(struct err *err, const char *what)
{
    return err_set(err, STATUS_INPUT,
                   "%s; was it written by another version of the hook?", what);
}

/* --- values --- */

static int64_t value(const struct flow *f, enum flow_column column, size_t row)
{
    uint64_t bits;
    memcpy(&bits, f->column[column] + row * VALUE_BYTES, sizeof bits);
    return (int64_t)le64toh(bits);
}

/* A number from `least` to less than `end`; what is not, makes the file a bad one. */
static int32_t number(struct flow *f, enum flow_column column, size_t row, int64_t least,
                      int64_t end)
{
    int64_t x = value(f, column, row);
    f->bad |= x < least || x >= end;
    return x < least || x >= end ? (int32_t)least : (int32_t)x;
}

static int32_t row_of(struct flow *f, enum flow_column column, size_t row,
                      enum flow_table of)
{
    return number(f, column, row, -1, (int64_t)f->rows[of]);
}

static name_id text(struct flow *f, enum flow_column column, size_t row,
                    const struct texts *t)
{
    if (!t->n) {
        f->bad = true;
        return 0;
    }
    return t->id[number(f, column, row, 0, (int64_t)t->n)];
}

/* --- the head --- */

static struct texts texts_of(struct flow *f, enum record_key key)
{
    const struct json *list = json_get(f->head, record_key_text[key]);
    struct texts t = {0};
    if (!list || list->kind != JSON_KIND_ARRAY) {
        f->bad = true;
        return t;
    }
    t.id = mem_alloc((list->n + 1) * sizeof *t.id);
    for (const struct json *j = list->child; j; j = j->next)
        t.id[t.n++] = names_add_z(&f->run->names, json_string_or(j, ""));
    return t;
}

static enum status read_rows(struct flow *f, struct err *err)
{
    const struct json *rows = json_get(f->head, record_key_text[RECORD_KEY_FLOW_ROWS]);
    size_t n = 0;
    if (!rows || rows->kind != JSON_KIND_ARRAY || rows->n != FLOW_TABLE_COUNT)
        return wrong(err, "it does not say how many rows it has");
    for (const struct json *j = rows->child; j; j = j->next) {
        int64_t count = json_int_or(j, -1);
        if (count < 0 || count > INT32_MAX - 1)
            return wrong(err, "a number of rows is none");
        f->rows[n++] = (size_t)count;
    }
    return STATUS_OK;
}

/* The columns must fill the rest to the byte. */
static enum status find_columns(struct flow *f, const char *bytes, size_t len,
                                struct err *err)
{
    for (int c = 0; c < FLOW_COLUMN_COUNT; c++) {
        size_t need = f->rows[flow_column_table[c]] * VALUE_BYTES;
        if (need > len)
            return wrong(err, "it is cut short");
        f->column[c] = bytes;
        bytes += need;
        len -= need;
    }
    return len ? wrong(err, "it is longer than it says") : STATUS_OK;
}

static enum status read_head(struct flow *f, const char *bytes, size_t len,
                             struct err *err)
{
    const char *end = memchr(bytes, '\n', len < HEAD_MAX_BYTES ? len : HEAD_MAX_BYTES);
    if (!end)
        return wrong(err, "it has no first line");
    enum status st = json_read(&f->head, &f->arena, bytes, (size_t)(end - bytes), err);
    if (st)
        return st;
    if (json_int_or(json_get(f->head, record_key_text[RECORD_KEY_FLOW_VERSION]), 0) !=
        FLOW_VERSION)
        return wrong(err, "it is not what this version reads");
    st = read_rows(f, err);
    return st ? st : find_columns(f, end + 1, len - (size_t)(end + 1 - bytes), err);
}

/* --- rows --- */

static void add_lines(struct flow *f)
{
    struct texts files = texts_of(f, RECORD_KEY_FLOW_FILES);
    struct texts functions = texts_of(f, RECORD_KEY_FLOW_FUNCTIONS);
    struct texts texts = texts_of(f, RECORD_KEY_FLOW_TEXTS);
    for (size_t i = 0; i < f->rows[FLOW_TABLE_LINES] && !f->bad; i++)
        lines_add(&f->run->lines,
                  (struct source_line){
                      .file = text(f, FLOW_LINES_FILE, i, &files),
                      .function = text(f, FLOW_LINES_FUNCTION, i, &functions),
                      .text = text(f, FLOW_LINES_TEXT, i, &texts),
                      .line = number(f, FLOW_LINES_LINE, i, 0, INT32_MAX),
                      .caller = number(f, FLOW_LINES_CALLER, i, -1, (int64_t)i)});
    mem_free(files.id);
    mem_free(functions.id);
    mem_free(texts.id);
}

static void add_fact(struct flow *f, enum record_key key, enum record_fact fact)
{
    int64_t n = json_int_or(json_get(f->head, record_key_text[key]), 0);
    f->bad |= n < 0;
    if (n > 0)
        record_fact_add(f->run, 0, fact, (double)n);
}

static void add_samples(struct flow *f)
{
    for (size_t i = 0; i < f->rows[FLOW_TABLE_SAMPLES] && !f->bad; i++)
        host_samples_add(&f->run->host_samples,
                         (struct host_sample){
                             .line = row_of(f, FLOW_SAMPLES_LINE, i, FLOW_TABLE_LINES),
                             .inner = row_of(f, FLOW_SAMPLES_INNER, i, FLOW_TABLE_LINES),
                             .part = (enum sample_part)number(f, FLOW_SAMPLES_PART, i, 0,
                                                              SAMPLE_PART_COUNT),
                             .count = number(f, FLOW_SAMPLES_COUNT, i, 0, INT32_MAX)});
}

static void add_tensors(struct flow *f)
{
    for (size_t i = 0; i < f->rows[FLOW_TABLE_TENSORS] && !f->bad; i++) {
        int64_t bytes = value(f, FLOW_TENSORS_BYTES, i);
        f->bad |= bytes < 0;
        tensors_add(
            &f->run->tensors,
            (struct tensor_life){.bytes = bytes,
                                 .kept = number(f, FLOW_TENSORS_KEPT, i, 0, 2),
                                 .source = (enum value_source)number(
                                     f, FLOW_TENSORS_SOURCE, i, 0, VALUE_SOURCE_COUNT)});
    }
}

/* traits: of the operators by their places. */
static void add_op(struct flow *f, size_t i, const struct texts *ops,
                   const int32_t *traits, int64_t steps)
{
    int32_t name = number(f, FLOW_OPS_NAME, i, 0, (int64_t)ops->n);
    if (f->bad) /* also where there are no operators */
        return;
    watched_ops_add(
        &f->run->watched_ops,
        (struct watched_op){
            .name = ops->id[name],
            .traits = traits[name],
            .step = number(f, FLOW_OPS_STEP, i, 0, steps),
            .line = row_of(f, FLOW_OPS_LINE, i, FLOW_TABLE_LINES),
            .inner = row_of(f, FLOW_OPS_INNER, i, FLOW_TABLE_LINES),
            .backward =
                number(f, FLOW_OPS_BACKWARD, i, 0, (int64_t)f->rows[FLOW_TABLE_OPS] + 1),
            /* what it is the backward pass of came before it */
            .forward = number(f, FLOW_OPS_FORWARD, i, -1, (int64_t)i),
            .thread = number(f, FLOW_OPS_THREAD, i, 0, RUN_WATCHED_THREADS_MAX),
            .scalars = value(f, FLOW_OPS_SCALARS, i)});
}

static void add_ops(struct flow *f)
{
    struct texts ops = texts_of(f, RECORD_KEY_FLOW_OPS);
    const struct json *list = json_get(f->head, record_key_text[RECORD_KEY_FLOW_TRAITS]);
    int64_t steps =
        json_int_or(json_get(f->head, record_key_text[RECORD_KEY_FLOW_STEPS]), 0);
    int32_t *traits = mem_zalloc(ops.n + 1, sizeof *traits);
    f->bad |= !list || list->kind != JSON_KIND_ARRAY || list->n != ops.n;
    size_t n = 0;
    for (const struct json *j = f->bad ? NULL : list->child; j; j = j->next) {
        int64_t bits = json_int_or(j, -1);
        f->bad |= bits < 0 || bits > INT32_MAX;
        traits[n++] = f->bad ? 0 : (int32_t)bits;
    }
    for (size_t i = 0; i < f->rows[FLOW_TABLE_OPS] && !f->bad; i++)
        add_op(f, i, &ops, traits,
               steps < RUN_WATCHED_STEPS_MAX ? steps : RUN_WATCHED_STEPS_MAX);
    mem_free(traits);
    mem_free(ops.id);
}

static void add_op_tensors(struct flow *f)
{
    struct texts shapes = texts_of(f, RECORD_KEY_FLOW_SHAPES);
    struct texts dtypes = texts_of(f, RECORD_KEY_FLOW_DTYPES);
    for (size_t i = 0; i < f->rows[FLOW_TABLE_OP_TENSORS] && !f->bad; i++)
        op_tensors_add(
            &f->run->op_tensors,
            (struct op_tensor){
                .op =
                    number(f, FLOW_OP_TENSORS_OP, i, 0, (int64_t)f->rows[FLOW_TABLE_OPS]),
                .role = (enum tensor_role)number(f, FLOW_OP_TENSORS_ROLE, i, 0,
                                                 TENSOR_ROLE_COUNT),
                .argument = number(f, FLOW_OP_TENSORS_ARGUMENT, i, 0, INT32_MAX),
                .tensor = row_of(f, FLOW_OP_TENSORS_TENSOR, i, FLOW_TABLE_TENSORS),
                .version = number(f, FLOW_OP_TENSORS_VERSION, i, 0, INT32_MAX),
                .offset = value(f, FLOW_OP_TENSORS_OFFSET, i),
                .shape = text(f, FLOW_OP_TENSORS_SHAPE, i, &shapes),
                .strides = text(f, FLOW_OP_TENSORS_STRIDES, i, &shapes),
                .dtype = text(f, FLOW_OP_TENSORS_DTYPE, i, &dtypes),
                .hash = value(f, FLOW_OP_TENSORS_HASH, i),
                .zeros = number(f, FLOW_OP_TENSORS_ZEROS, i, -1, 1001),
                .zero_rows = number(f, FLOW_OP_TENSORS_ZERO_ROWS, i, -1, 1001)});
    mem_free(shapes.id);
    mem_free(dtypes.id);
}

static void add_notes(struct flow *f)
{
    const struct json *notes = json_get(f->head, record_key_text[RECORD_KEY_FLOW_NOTES]);
    const struct json *j = notes && notes->kind == JSON_KIND_ARRAY ? notes->child : NULL;
    for (int n = 0; j && n < NOTES_MAX; j = j->next, n++)
        run_add_note(f->run, 0, -1, "data flow: %.200s", json_string_or(j, "?"));
}

static bool in_order(const struct op_tensors *t)
{
    for (size_t i = 1; i < t->table.n; i++)
        if (t->op[i - 1] > t->op[i])
            return false;
    return true;
}

static enum status add_all(struct flow *f, struct err *err)
{
    add_lines(f);
    add_samples(f);
    add_tensors(f);
    add_ops(f);
    add_op_tensors(f);
    if (f->bad || !in_order(&f->run->op_tensors))
        return wrong(err, "a value in it is out of range");
    add_fact(f, RECORD_KEY_FLOW_SAMPLED_STEPS, RECORD_FACT_SAMPLED_STEPS);
    add_fact(f, RECORD_KEY_FLOW_SAMPLED_NS, RECORD_FACT_SAMPLED_NS);
    add_notes(f);
    return STATUS_OK;
}

static void forget(struct run *one)
{
    one->lines.table.n = one->host_samples.table.n = one->tensors.table.n = 0;
    one->watched_ops.table.n = one->op_tensors.table.n = 0;
}

enum status flow_file_parse(struct run *one, const char *bytes, size_t len,
                            struct err *err)
{
    struct flow f = {.run = one};
    arena_init(&f.arena);
    enum status st = read_head(&f, bytes, len, err);
    if (!st)
        st = add_all(&f, err);
    if (st)
        forget(one);
    arena_release(&f.arena);
    return st;
}

enum status flow_file_add(struct run *one, const char *path, struct err *err)
{
    char *bytes = NULL;
    size_t len = 0;
    enum status st = file_read(&bytes, &len, path, FLOW_FILE_MAX_BYTES, err);
    if (!st)
        st = flow_file_parse(one, bytes, len, err);
    mem_free(bytes);
    return st;
}
