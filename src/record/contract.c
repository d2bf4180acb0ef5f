#include "record/contract.h"

#include "run/op_traits.h"
#include "run/record_facts.h"

#include <string.h>

#define RECORD_STATE_TEXT(v, text, meaning) text,
const char *const record_state_text[RECORD_STATE_COUNT] = {
    RECORD_STATES(RECORD_STATE_TEXT)};

#define RECORD_KEY_TEXT(object, v, text, type, meaning) text,
const char *const record_key_text[RECORD_KEY_COUNT] = {RECORD_KEYS(RECORD_KEY_TEXT)};

#define FLOW_COLUMN_TABLE(table, v, text, meaning) FLOW_TABLE_##table,
const enum flow_table flow_column_table[FLOW_COLUMN_COUNT] = {
    FLOW_COLUMNS(FLOW_COLUMN_TABLE)};
#define FLOW_TABLE_TEXT(v, text) text,
static const char *const flow_table_text[FLOW_TABLE_COUNT] = {
    FLOW_TABLE_LIST(FLOW_TABLE_TEXT)};

/* One row of the lists, as it is printed. */
struct contract_row {
    const char *object, *value, *text, *type, *meaning;
};

#define STATE_ROW(v, text, meaning) {"", #v, text, "", meaning},
static const struct contract_row states[] = {RECORD_STATES(STATE_ROW)};
#define KEY_ROW(object, v, text, type, meaning) {#object, #v, text, type, meaning},
static const struct contract_row keys[] = {RECORD_KEYS(KEY_ROW)};

#define FLOW_ROW(table, v, text, meaning) {#table, #v, text, "", meaning},
static const struct contract_row flow_columns[] = {FLOW_COLUMNS(FLOW_ROW)};
#define NAMED_ROW(v, text) {"", #v, "", "", text},
static const struct contract_row traits[] = {OP_TRAIT_LIST(NAMED_ROW)};
static const struct contract_row sources[] = {VALUE_SOURCE_LIST(NAMED_ROW)};
static const struct contract_row roles[] = {TENSOR_ROLE_LIST(NAMED_ROW)};
static const struct contract_row parts[] = {SAMPLE_PART_LIST(NAMED_ROW)};
static const struct contract_row moved[] = {MOVED_KIND_LIST(NAMED_ROW)};

/* T(VALUE, "meaning"), in the order of TIMING_KIND_LIST. */
#define TIMING_MEANINGS(T)                                                               \
    T(STEP, "from one step's end to the next")                                           \
    T(OPTIMIZER, "in the optimizers' own calls")                                         \
    T(BACKWARD, "in backward")                                                           \
    T(LOADER, "waiting for a batch of a DataLoader")                                     \
    T(LOADER_CPU,                                                                        \
      "of that, what the thread computed itself or stood in line for a core")            \
    T(COLLATE, "of that, the job's own collate_fn, where no workers call it")            \
    T(STACK, "of that, PyTorch's own in its place")                                      \
    T(SAVE, "in torch.save")                                                             \
    T(EVALUATE, "from a module's eval() to its train(), without the saves between")      \
    T(EPOCH, "making an iterator of a DataLoader, which starts its workers")             \
    T(GARBAGE, "collections of all generations")                                         \
    T(EXCHANGE, "the job's own code waits for gathers and broadcasts")                   \
    T(BUFFERS, "DistributedDataParallel broadcasts a model's buffers")                   \
    T(COLLECTIVE, "other waits for collectives outside the backward pass")               \
    T(CPU, "CPU time of the process, all its threads")                                   \
    T(TRACED_STEP, "a step under the tracer: made by the reader from `traced`")
#define TIMING_MEANING(v, meaning) [TIMING_KIND_##v] = (meaning),
static const char *const timing_meaning[TIMING_KIND_COUNT] = {
    TIMING_MEANINGS(TIMING_MEANING)};

#define TIMING_ROW(v, text) {"", #v, text, "", ""},
static const struct contract_row timings[] = {TIMING_KIND_LIST(TIMING_ROW)};

/* What the hook times: the reader makes the last one. */
enum { TIMED_BY_HOOK = TIMING_KIND_TRACED_STEP };

#define FACT_ROW(v, key, source, meaning) {"", #v, "", "", meaning},
static const struct contract_row facts[] = {RECORD_FACT_LIST(FACT_ROW)};

static const struct {
    const char *object, *title, *python;
} objects[] = {
    {"FILE", "The file", "File"},
    {"ROUND", "A round", "Round"},
    {"STEP", "A step", "Step"},
    {"REPLACEMENT", "A replacement", "Replacement"},
    {"LENGTHS", "Lengths of rows", "Lengths"},
    {"FLOW", "The data flow", "Flow"},
};

static void print_keys(struct strbuf *out, const char *object)
{
    strbuf_puts(out, "\n| member | type | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < RECORD_KEY_COUNT; i++)
        if (!strcmp(keys[i].object, object))
            strbuf_printf(out, "| `%s` | %s | %s |\n", keys[i].text, keys[i].type,
                          keys[i].meaning);
}

static void print_timings(struct strbuf *out)
{
    strbuf_puts(
        out,
        "\nEach step also has what was timed in it, in nanoseconds; absent: it did not "
        "come. In a run they are rows of `timings`.\n\n| timing | is |\n|---|---|\n");
    for (size_t i = 0; i < TIMING_KIND_COUNT; i++)
        strbuf_printf(out, "| `%s` | %s |\n", timings[i].text, timing_meaning[i]);
}

static void print_moved(struct strbuf *out)
{
    strbuf_puts(out, "\nWhat a row of `movements` is, of a parameter:\n\n"
                     "| number | is |\n|---|---|\n");
    for (int i = 0; i < MOVED_KIND_COUNT; i++)
        strbuf_printf(out, "| %d | %s |\n", i, moved[i].meaning);
}

static void print_facts(struct strbuf *out)
{
    static const char *const source[] = {"the reader, from the file",
                                         "the hook, a number", "the hook, a text"};
    strbuf_puts(out, "\n## Facts\n\nWhat the hook says stands under `facts`, without "
                     "`record.`.\n\n| in a run | by | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < RECORD_FACT_COUNT; i++)
        strbuf_printf(out, "| `%s` | %s | %s |\n", record_fact_def[i].key,
                      source[record_fact_def[i].source], record_fact_def[i].meaning);
}

static void print_flow(struct strbuf *out)
{
    strbuf_printf(
        out,
        "\n`flow-PID.bin` ([dataflow.md](dataflow.md)), version %d: a line of JSON with "
        "these members, then the columns below, one after the\nother, each value as 8 "
        "bytes, least significant first.\n\n| table | column | is |\n|---|---|---|\n",
        FLOW_VERSION);
    for (size_t i = 0; i < FLOW_COLUMN_COUNT; i++)
        strbuf_printf(out, "| %s | `%s` | %s |\n", flow_table_text[flow_column_table[i]],
                      flow_columns[i].text, flow_columns[i].meaning);
    strbuf_puts(out, "\n| trait | bit | operator |\n|---|---|---|\n");
    for (int i = 0; i < OP_TRAIT_COUNT; i++)
        strbuf_printf(out, "| %s | %d | %s |\n", traits[i].value, 1 << i,
                      traits[i].meaning);
}

void contract_print_markdown(struct strbuf *out)
{
    strbuf_printf(
        out,
        "# What the hook writes\n\n<!-- made by scripts/draw-docs from "
        "src/record/contract.h -->\n\n`gait record` puts a hook into a job ([record.md]"
        "(record.md)). It leaves a file `process-PID.json` for each process, beside the "
        "traces that\nit names; the program makes a run of both. This is version %d of "
        "the file. The program reads no other: hook and program\ncome together. Times "
        "are "
        "whole nanoseconds.\n",
        RECORD_VERSION);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        strbuf_printf(out, "\n## %s\n", objects[i].title);
        print_keys(out, objects[i].object);
        if (!strcmp(objects[i].object, "FILE"))
            print_moved(out);
        if (!strcmp(objects[i].object, "STEP"))
            print_timings(out);
        if (!strcmp(objects[i].object, "FLOW"))
            print_flow(out);
    }
    strbuf_puts(out, "\n## States\n\n| state | means |\n|---|---|\n");
    for (size_t i = 0; i < RECORD_STATE_COUNT; i++)
        strbuf_printf(out, "| `%s` | %s |\n", states[i].text, states[i].meaning);
    print_facts(out);
}

/* A class of constants. */
static void print_class(struct strbuf *out, const char *name, const char *doc)
{
    strbuf_printf(out, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n\n", name, doc);
}

static void print_constant(struct strbuf *out, const char *name, const char *text)
{
    strbuf_printf(out, "    %s = \"%s\"\n", name, text);
}

static void print_key_class(struct strbuf *out, const char *object, const char *name)
{
    print_class(out, name, "Members of it.");
    for (size_t i = 0; i < RECORD_KEY_COUNT; i++)
        if (!strcmp(keys[i].object, object))
            print_constant(out, keys[i].value, keys[i].text);
}

/* Numbers of a list: its places, or its bits. */
static void print_number_class(struct strbuf *out, const char *name, const char *doc,
                               const struct contract_row *row, int n, bool bits)
{
    print_class(out, name, doc);
    for (int i = 0; i < n; i++)
        strbuf_printf(out, "    %s = %d\n", row[i].value, bits ? 1 << i : i);
}

static void print_flow_classes(struct strbuf *out)
{
    print_number_class(out, "Trait", "Of an operator.", traits, OP_TRAIT_COUNT, true);
    print_number_class(out, "Source", "Of a storage.", sources, VALUE_SOURCE_COUNT,
                       false);
    print_number_class(out, "Role", "Of a tensor for an operator.", roles,
                       TENSOR_ROLE_COUNT, false);
    print_number_class(out, "Part", "Of a step.", parts, SAMPLE_PART_COUNT, false);
    print_number_class(out, "Moved", "What of a parameter a row of movements is.", moved,
                       MOVED_KIND_COUNT, false);
    strbuf_printf(out, "\n\nFLOW_VERSION = %d\nFLOW_COLUMNS = (\n", FLOW_VERSION);
    for (size_t i = 0; i < FLOW_COLUMN_COUNT; i++)
        strbuf_printf(out, "    (\"%s\", \"%s\"),\n",
                      flow_table_text[flow_column_table[i]], flow_columns[i].text);
    strbuf_puts(out, ")\n");
}

void contract_print_python(struct strbuf *out)
{
    strbuf_printf(
        out,
        "\"\"\"The names that the hook shares with the program. Made by "
        "scripts/draw-docs from src/record/contract.h: change it there.\"\"\"\n\n"
        "VERSION = %d\n",
        RECORD_VERSION);
    print_class(out, "State", "How far the recording of a process came.");
    for (size_t i = 0; i < RECORD_STATE_COUNT; i++)
        print_constant(out, states[i].value, states[i].text);
    print_class(out, "Timing", "What is timed in a step.");
    for (size_t i = 0; i < TIMED_BY_HOOK; i++)
        print_constant(out, timings[i].value, timings[i].text);
    print_class(out, "Fact", "Members of facts.");
    for (size_t i = 0; i < RECORD_FACT_COUNT; i++)
        if (record_fact_def[i].source != RECORD_FACT_READER)
            print_constant(out, facts[i].value, record_fact_def[i].name);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        print_key_class(out, objects[i].object, objects[i].python);
    print_flow_classes(out);
}

void contract_print_shape(struct strbuf *out)
{
    for (size_t i = 0; i < RECORD_STATE_COUNT; i++)
        strbuf_printf(out, "state %s\n", states[i].text);
    for (size_t i = 0; i < TIMED_BY_HOOK; i++)
        strbuf_printf(out, "timing %s\n", timings[i].text);
    for (size_t i = 0; i < RECORD_FACT_COUNT; i++)
        if (record_fact_def[i].source != RECORD_FACT_READER)
            strbuf_printf(out, "fact %s %d\n", record_fact_def[i].name,
                          record_fact_def[i].source);
    for (size_t i = 0; i < RECORD_KEY_COUNT; i++)
        strbuf_printf(out, "%s.%s: %s\n", keys[i].object, keys[i].text, keys[i].type);
    for (size_t i = 0; i < FLOW_COLUMN_COUNT; i++)
        strbuf_printf(out, "flow %d %s\n", (int)flow_column_table[i],
                      flow_columns[i].text);
    for (int i = 0; i < OP_TRAIT_COUNT; i++)
        strbuf_printf(out, "trait %s\n", traits[i].value);
    for (int i = 0; i < VALUE_SOURCE_COUNT; i++)
        strbuf_printf(out, "source %s\n", sources[i].value);
    for (int i = 0; i < TENSOR_ROLE_COUNT; i++)
        strbuf_printf(out, "role %s\n", roles[i].value);
    for (int i = 0; i < SAMPLE_PART_COUNT; i++)
        strbuf_printf(out, "part %s\n", parts[i].value);
    for (int i = 0; i < MOVED_KIND_COUNT; i++)
        strbuf_printf(out, "moved %s\n", moved[i].value);
}
