#include "trace/event_sink.h"

#include "base/mem.h"
#include "reduce/sync_edges.h"
#include "run/collective_facts.h"
#include "trace/decimal.h"

#include <stdio.h>
#include <string.h>

static const int64_t DURATION_MAX_NS = INT64_C(7) * 24 * 3600 * 1000000000;

/* --- what is counted --- */

static struct trace_tally tally_none(void)
{
    return (struct trace_tally){.rank = -1};
}

void trace_totals_init(struct trace_totals *t)
{
    *t = (struct trace_totals){.tally = tally_none()};
    names_init(&t->names);
}

void trace_totals_release(struct trace_totals *t)
{
    row_table_release(&t->row_names);
    row_table_release(&t->lanes);
    names_release(&t->names);
}

static void counts_add(struct event_counts *to, const struct event_counts *from)
{
    to->events += from->events;
    to->used += from->used;
    to->flows += from->flows;
    to->metadata += from->metadata;
    to->instants += from->instants;
    to->counters += from->counters;
    to->containers += from->containers;
    to->marks += from->marks;
    to->empty += from->empty;
}

static void tally_add(struct trace_tally *to, const struct trace_tally *from)
{
    counts_add(&to->counts, &from->counts);
    trace_notes_merge(&to->notes, &from->notes);
    work_tally_add(&to->work, &from->work);
    if (to->rank < 0)
        to->rank = from->rank;
    if (!to->has_first_ts)
        to->first_ts_ns = from->first_ts_ns;
    to->has_first_ts = to->has_first_ts || from->has_first_ts;
}

/* --- blocks --- */

void event_sink_init(struct event_sink *s, struct reduce_shard *shard, bool skip_shapes)
{
    *s = (struct event_sink){.shard = shard, .skip_shapes = skip_shapes};
    s->block = tally_none();
    name_table_init(&s->names, shard);
    names_init(&s->raw_shapes);
    work_cache_init(&s->work);
}

void event_sink_release(struct event_sink *s)
{
    name_table_release(&s->names);
    row_table_release(&s->lanes);
    names_release(&s->raw_shapes);
    work_cache_release(&s->work);
    mem_free(s->shapes);
    mem_free(s->naming);
}

void event_sink_drop(struct event_sink *s)
{
    s->block = tally_none();
    s->namings = 0;
    row_table_forget(&s->lanes, s->lanes_before);
    shard_drop_block(s->shard);
}

/* Blocks are accepted in order: the first event of all on a lane says which row it is. */
static void accept_lanes(const struct event_sink *s, struct trace_totals *t)
{
    for (size_t i = s->lanes_before; i < s->lanes.n; i++) {
        const struct row *lane = &s->lanes.row[i];
        if (row_table_find(&t->lanes, lane->key))
            continue;
        struct row *first = row_table_add(&t->lanes, lane->key);
        if (first) {
            first->pid = lane->pid;
            first->tid = lane->tid;
        }
    }
}

void event_sink_accept(struct event_sink *s, struct trace_totals *t)
{
    tally_add(&t->tally, &s->block);
    accept_lanes(s, t);
    for (size_t i = 0; i < s->namings; i++) {
        struct row_key key = s->naming[i].row;
        struct row *row = row_table_find(&t->row_names, key);
        if (!row)
            row = row_table_add(&t->row_names, key);
        uint32_t local = s->naming[i].name;
        if (row)
            row->value = names_add(&t->names, s->names.names.str[local],
                                   s->names.names.len[local]);
    }
    s->block = tally_none();
    s->namings = 0;
    s->lanes_before = s->lanes.n;
}

enum status event_sink_put_away(struct event_sink *s, int64_t order, struct err *err)
{
    return shard_end_block(s->shard, order, err);
}

static void sink_note(struct event_sink *s, enum trace_note what,
                      const struct trace_event *e)
{
    trace_note(&s->block.notes, what, e->offset);
}

static uint32_t sink_name(struct event_sink *s, const struct json_text *text,
                          const struct trace_event *e)
{
    unsigned done = 0;
    int64_t lost = s->names.names_lost;
    uint32_t local = name_table_add(&s->names, text, &done);
    if (done & COOK_BAD_ESCAPE)
        sink_note(s, TRACE_NOTE_BAD_ESCAPE, e);
    if (done & COOK_CUT)
        sink_note(s, TRACE_NOTE_NAME_CUT, e);
    if (s->names.names_lost > lost)
        sink_note(s, TRACE_NOTE_NAMES_FULL, e);
    return local;
}

/* --- rows and lanes --- */

/* A text that ends in a number ("stream 7") is that number; another one becomes a number
 * below any that a system gives, the same in every reader. */
static int64_t row_number(const struct event_row_id *id)
{
    if (id->is_number)
        return id->number;
    const struct json_text *t = &id->text;
    size_t digits = 0;
    while (digits < t->len && t->s[t->len - 1 - digits] >= '0' &&
           t->s[t->len - 1 - digits] <= '9')
        digits++;
    int64_t number;
    if (digits && decimal_to_int64(&number, t->s + t->len - digits, digits, 0))
        return number;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < t->len; i++)
        hash = (hash ^ (uint8_t)t->s[i]) * 0x100000001b3u;
    return -(int64_t)(hash >> 2) - (INT64_C(1) << 32);
}

static int32_t device_number(int64_t v)
{
    return v >= 0 && v <= INT32_MAX ? (int32_t)v : 0;
}

static struct row_key lane_key(const struct trace_event *e, enum category category)
{
    int64_t pid = row_number(&e->pid), tid = row_number(&e->tid);
    if (classify_lane(category) != LANE_KIND_DEVICE)
        return (struct row_key){LANE_KIND_CPU, -1, pid, tid};
    /* MTIA's stream argument is not the row: several rows share a stream. */
    bool by_row = category == CATEGORY_MTIA;
    int64_t device = by_row ? pid : event_number(e, EVENT_NUMBER_DEVICE, pid);
    int64_t stream = by_row ? tid : event_number(e, EVENT_NUMBER_STREAM, tid);
    return (struct row_key){LANE_KIND_DEVICE, device_number(device), 0, stream};
}

/* The shard's lane, or -1 when there are too many. */
static int32_t sink_lane(struct event_sink *s, const struct trace_event *e,
                         enum category category)
{
    struct row_key key = lane_key(e, category);
    struct row *row = row_table_find(&s->lanes, key);
    if (row)
        return (int32_t)row->value;
    row = row_table_add(&s->lanes, key);
    if (!row)
        return -1;
    row->pid = row_number(&e->pid);
    row->tid = row_number(&e->tid);
    row->value =
        (uint32_t)shard_lane(s->shard, (struct lane){.kind = (enum lane_kind)key.kind,
                                                     .device = key.device,
                                                     .pid = key.pid,
                                                     .tid = key.tid});
    return (int32_t)row->value;
}

static void sink_metadata(struct event_sink *s, const struct trace_event *e)
{
    const struct json_text *name = &e->text[EVENT_TEXT_NAME];
    s->block.counts.metadata++;
    if (!json_text_is(&e->name, "thread_name") || !name->s)
        return;
    struct json_text trimmed = *name;
    while (trimmed.len && trimmed.s[trimmed.len - 1] == ' ')
        trimmed.len--;
    if (!trimmed.len)
        return;
    vec_grow(s->naming, s->cap_namings, s->namings + 1);
    s->naming[s->namings++] = (struct row_naming){
        .row = {.pid = row_number(&e->pid), .tid = row_number(&e->tid)},
        .name = sink_name(s, &trimmed, e)};
}

void event_sink_finish(struct event_sink *s, struct trace_totals *t)
{
    for (size_t i = 0; i < s->lanes.n; i++) {
        struct row *lane = &s->lanes.row[i];
        const struct row *first = row_table_find(&t->lanes, lane->key);
        struct row *name = NULL;
        if (first)
            name = row_table_find(&t->row_names,
                                  (struct row_key){.pid = first->pid, .tid = first->tid});
        if (name)
            shard_lane_name(s->shard, (int32_t)lane->value,
                            shard_name(s->shard, t->names.str[name->value],
                                       t->names.len[name->value]));
    }
}

/* --- memory --- */

/* Without totals the changes are summed up, in the order of time, which is not that of
 * the trace. */
static void sink_memory_change(struct event_sink *s, const struct trace_event *e,
                               struct memory m)
{
    if (!event_has(e, EVENT_NUMBER_BYTES)) {
        sink_note(s, TRACE_NOTE_BAD_MEMORY, e);
        return;
    }
    m.bytes = event_number(e, EVENT_NUMBER_BYTES, 0);
    m.origin = ORIGIN_MODELLED;
    sink_note(s, TRACE_NOTE_MEMORY_SUMMED, e);
    shard_add_memory_change(s->shard, m);
}

static void sink_memory(struct event_sink *s, const struct trace_event *e)
{
    enum { DEVICE_TYPE_CPU = 0 };
    s->block.counts.used++;
    if (e->ts.state != EVENT_TIME_GOOD) {
        sink_note(s, TRACE_NOTE_BAD_TS, e);
        return;
    }
    struct memory m = {.device = -1, .at_ns = e->ts.ns, .what = MEMORY_CLASS_ALLOCATED};
    if (event_number(e, EVENT_NUMBER_DEVICE_TYPE, DEVICE_TYPE_CPU) != DEVICE_TYPE_CPU)
        m.device = device_number(event_number(e, EVENT_NUMBER_DEVICE_ID, 0));
    if (!event_has(e, EVENT_NUMBER_TOTAL_ALLOCATED)) {
        sink_memory_change(s, e, m);
        return;
    }
    m.bytes = event_number(e, EVENT_NUMBER_TOTAL_ALLOCATED, 0);
    shard_add_memory(s->shard, m);
    /* The host's allocator reserves nothing: its total is always 0. */
    if (m.device >= 0 && event_has(e, EVENT_NUMBER_TOTAL_RESERVED)) {
        m.what = MEMORY_CLASS_RESERVED;
        m.bytes = event_number(e, EVENT_NUMBER_TOTAL_RESERVED, 0);
        shard_add_memory(s->shard, m);
    }
}

/* --- complete events --- */

static bool is_container(const struct trace_event *e, enum category category)
{
    return category == CATEGORY_CONTAINER ||
           (!e->pid.is_number && (json_text_is(&e->pid.text, "Spans") ||
                                  json_text_is(&e->pid.text, "Traces")));
}

/* Are its times usable? If not, why is noted. */
static bool check_times(struct event_sink *s, const struct trace_event *e,
                        enum category category)
{
    enum trace_note trouble = TRACE_NOTE_COUNT;
    if (e->ts.state == EVENT_TIME_ABSENT)
        trouble = TRACE_NOTE_NO_TS;
    else if (e->ts.state == EVENT_TIME_BAD || e->ts.ns > RUN_TIME_MAX_NS ||
             e->ts.ns < -RUN_TIME_MAX_NS)
        trouble = TRACE_NOTE_BAD_TS;
    else if (e->dur.state == EVENT_TIME_ABSENT)
        trouble = TRACE_NOTE_NO_DUR;
    else if (e->dur.state == EVENT_TIME_BAD || e->dur.ns < 0)
        trouble = TRACE_NOTE_BAD_DUR;
    else if (e->dur.ns > DURATION_MAX_NS)
        trouble = TRACE_NOTE_LONG_DUR;
    else if (e->ts.ns > RUN_TIME_MAX_NS - e->dur.ns)
        trouble = TRACE_NOTE_BAD_TS;
    else if (!e->ts.ns && !e->dur.ns && classify_lane(category) == LANE_KIND_DEVICE)
        trouble = TRACE_NOTE_ZERO_KERNEL;
    if (trouble != TRACE_NOTE_COUNT)
        sink_note(s, trouble, e);
    return trouble == TRACE_NOTE_COUNT;
}

/* "[[64, 128], []]" without the white space between its parts; 0 where it is empty or too
 * long to be kept whole (a part of a shape would be a wrong one). */
static name_id cook_shapes(struct event_sink *s, const struct json_text *dims,
                           const struct trace_event *e)
{
    char text[SHAPES_BYTES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < dims->len; i++) {
        uint8_t ch = (uint8_t)dims->s[i];
        if (ch <= ' ')
            continue;
        if (n == sizeof text) {
            sink_note(s, TRACE_NOTE_SHAPES_LONG, e);
            return 0;
        }
        text[n++] = (char)ch;
    }
    if (n <= 2)
        return 0;
    int64_t lost = s->names.names_lost;
    uint32_t local = name_table_add_bytes(&s->names, text, n);
    if (s->names.names_lost > lost) {
        sink_note(s, TRACE_NOTE_NAMES_FULL, e);
        return 0;
    }
    return name_table_shard_id(&s->names, local);
}

/* The same shapes come again and again, spelt the same: they are cooked once. 0 where
 * they are absent, RAW_SHAPES_NONE where they are not remembered. */
static name_id sink_raw_shapes(struct event_sink *s, const struct trace_event *e)
{
    const struct json_text *dims = &e->text[EVENT_TEXT_INPUT_DIMS];
    if (dims->len <= 2)
        return 0;
    if (dims->len > 2 * SHAPES_BYTES_MAX || s->raw_shapes.n >= RAW_SHAPES_MAX)
        return RAW_SHAPES_NONE;
    size_t known = s->raw_shapes.n;
    name_id raw = names_add(&s->raw_shapes, dims->s, dims->len);
    if (s->raw_shapes.n > known) {
        vec_grow(s->shapes, s->cap_shapes, s->raw_shapes.n);
        s->shapes[raw] = 0; /* not cooked yet */
    }
    return raw;
}

static name_id sink_shapes(struct event_sink *s, const struct trace_event *e, name_id raw)
{
    if (!raw || s->skip_shapes)
        return 0;
    if (raw == RAW_SHAPES_NONE)
        return cook_shapes(s, &e->text[EVENT_TEXT_INPUT_DIMS], e);
    if (!s->shapes[raw]) /* what could not be kept is noted each time */
        s->shapes[raw] = cook_shapes(s, &e->text[EVENT_TEXT_INPUT_DIMS], e);
    return s->shapes[raw];
}

static void sink_work(struct event_sink *s, const struct trace_event *e, uint32_t name,
                      name_id raw_shapes, struct span *span)
{
    int rule = name_table_work_rule(&s->names, name);
    if (!rule)
        return;
    struct op_work w = {0};
    if (raw_shapes == RAW_SHAPES_NONE)
        w = work_of_event(rule, e);
    else if (raw_shapes)
        w = work_cache_count(&s->work, rule, raw_shapes, e);
    span->flop = w.flop;
    span->bytes = w.bytes;
    if (op_work_is_product(rule))
        work_tally_count(&s->block.work, &w);
}

/* What its args say of a collective, as span.shapes; 0: nothing. */
static name_id sink_collective(struct event_sink *s, const struct trace_event *e,
                               struct span *span)
{
    const struct json_text *name = &e->text[EVENT_TEXT_COLLECTIVE];
    const struct json_text *group = &e->text[EVENT_TEXT_GROUP_NAME];
    const struct json_text *dtype = &e->text[EVENT_TEXT_DTYPE];
    int64_t seq = event_number(e, EVENT_NUMBER_GROUP_SEQ, -1);
    struct collective_facts facts = {
        .operation = {name->s, name->len},
        .group = {group->s, group->len},
        .dtype = {dtype->s, dtype->len},
        .elements_in = event_number(e, EVENT_NUMBER_ELEMENTS_IN, 0),
        .elements_out = event_number(e, EVENT_NUMBER_ELEMENTS_OUT, 0),
        .ranks = event_number(e, EVENT_NUMBER_GROUP_SIZE, 0),
        .numbered = seq >= 0,
    };
    char text[COLLECTIVE_TEXT_MAX];
    if (!name->len && !group->len && !dtype->len)
        return 0;
    if (facts.numbered)
        span->seq = seq;
    int64_t lost = s->names.names_lost;
    size_t len = collective_facts_text(text, &facts);
    uint32_t local = name_table_add_bytes(&s->names, text, len);
    return s->names.names_lost > lost ? 0 : name_table_shard_id(&s->names, local);
}

/* What a synchronisation waits for: reduce/sync_edges.h. Returns the text; 0: nothing. */
static name_id sink_sync(struct event_sink *s, const struct trace_event *e,
                         struct span *span)
{
    char text[48];
    int64_t stream = event_number(e, EVENT_NUMBER_WAIT_STREAM, -1);
    int64_t record = event_number(e, EVENT_NUMBER_WAIT_RECORD, -1);
    if (stream < 0 || record <= 0)
        return 0;
    span->seq = record;
    int len = snprintf(text, sizeof text, SYNC_STREAM_TEXT "%lld", (long long)stream);
    int64_t lost = s->names.names_lost;
    uint32_t local = name_table_add_bytes(&s->names, text, (size_t)len);
    return s->names.names_lost > lost ? 0 : name_table_shard_id(&s->names, local);
}

static int64_t span_bytes(struct event_sink *s, const struct trace_event *e)
{
    int64_t size = event_number(e, EVENT_NUMBER_SIZE, 0);
    int64_t bytes = event_number(e, EVENT_NUMBER_BYTES, size);
    if (bytes >= 0)
        return bytes;
    sink_note(s, TRACE_NOTE_BAD_BYTES, e);
    return 0;
}

static int64_t span_correlation(const struct trace_event *e, enum category category)
{
    bool pairs =
        category == CATEGORY_RUNTIME || (classify_lane(category) == LANE_KIND_DEVICE &&
                                         category != CATEGORY_DEVICE_ANNOTATION);
    int64_t c = pairs ? event_number(e, EVENT_NUMBER_CORRELATION, 0) : 0;
    if (category == CATEGORY_OP) { /* from 1, so that 0 is none */
        int64_t sequence = event_number(e, EVENT_NUMBER_AUTOGRAD_SEQUENCE, -1);
        c = sequence < INT64_MAX ? sequence + 1 : 0;
    }
    return c > 0 ? c : 0;
}

static void sink_mark(struct event_sink *s, const struct span *span, uint32_t name,
                      enum category category)
{
    struct step_mark mark = {
        .lane = span->lane, .begin_ns = span->begin_ns, .dur_ns = span->dur_ns};
    mark.method = classify_mark(&mark.number, category, s->names.names.str[name],
                                s->names.names.len[name]);
    shard_add_mark(s->shard, mark);
}

static void sink_span(struct event_sink *s, const struct trace_event *e,
                      enum category category)
{
    uint32_t name = sink_name(s, &e->name, e);
    struct span span = {.begin_ns = e->ts.ns, .dur_ns = e->dur.ns};
    span.kind = name_table_kind(&s->names, name, category);
    if (category == CATEGORY_KERNEL && e->text[EVENT_TEXT_COLLECTIVE].len)
        span.kind = SPAN_KIND_COLLECTIVE;
    span.lane = sink_lane(s, e, category);
    if (span.lane < 0) {
        sink_note(s, TRACE_NOTE_MANY_LANES, e);
        return;
    }
    span.name = name_table_shard_id(&s->names, name);
    span.correlation = span_correlation(e, category);
    int64_t index = event_number(e, EVENT_NUMBER_PROFILER_INDEX, 0);
    span.seq = event_number(e, EVENT_NUMBER_EVENT_INDEX, index);
    if (span.kind == SPAN_KIND_STEP)
        classify_step(&span.seq, s->names.names.str[name], s->names.names.len[name]);
    if (span.kind == SPAN_KIND_COPY || span.kind == SPAN_KIND_SET)
        span.bytes = span_bytes(s, e);
    if (span.kind == SPAN_KIND_OP) {
        name_id raw = sink_raw_shapes(s, e);
        span.shapes = sink_shapes(s, e, raw);
        sink_work(s, e, name, raw, &span);
    }
    if (span.kind == SPAN_KIND_COLLECTIVE)
        span.shapes = sink_collective(s, e, &span);
    if (category == CATEGORY_DEVICE_SYNC)
        span.shapes = sink_sync(s, e, &span);
    if (!s->block.has_first_ts)
        s->block.first_ts_ns = span.begin_ns;
    s->block.has_first_ts = true;
    shard_add(s->shard, &span);
    if (name_table_mark(&s->names, name) != STEP_METHOD_NONE)
        sink_mark(s, &span, name, category);
}

static void sink_unknown(struct event_sink *s, const struct trace_event *e)
{
    if (!e->cat.len) {
        sink_note(s, TRACE_NOTE_NO_CATEGORY, e);
        return;
    }
    trace_note_category(&s->block.notes, e->cat.s, e->cat.len, e->offset);
}

/* Few categories come again and again. */
static enum category sink_category(struct event_sink *s, const struct json_text *cat)
{
    if (!cat->len || cat->len > CATEGORY_BYTES_MAX)
        return classify_category(cat->s, cat->len);
    unsigned hash = (unsigned)(cat->s[0] + 5 * cat->s[cat->len / 2] +
                               11 * cat->s[cat->len - 1] + (int)cat->len);
    struct known_category *k = &s->category[hash % CATEGORIES_KNOWN];
    if (k->len != cat->len || memcmp(k->text, cat->s, cat->len)) {
        k->len = (uint8_t)cat->len;
        memcpy(k->text, cat->s, cat->len);
        k->category = classify_category(cat->s, cat->len);
    }
    return k->category;
}

static void sink_complete(struct event_sink *s, const struct trace_event *e)
{
    enum category category = sink_category(s, &e->cat);
    if (is_container(e, category)) {
        s->block.counts.containers++;
        return;
    }
    if (category == CATEGORY_UNKNOWN) {
        sink_unknown(s, e);
        return;
    }
    s->block.counts.used++;
    if (category == CATEGORY_MARK || category == CATEGORY_FLOW ||
        category == CATEGORY_INSTANT) {
        s->block.counts.marks++;
        return;
    }
    if (s->block.rank < 0)
        s->block.rank = event_number(e, EVENT_NUMBER_RANK, -1);
    if (check_times(s, e, category))
        sink_span(s, e, category);
}

/* Some writers end the array with {} because a comma stands before it. */
static bool is_empty(const struct trace_event *e)
{
    return !e->name.len && !e->cat.len && e->ts.state == EVENT_TIME_ABSENT &&
           e->dur.state == EVENT_TIME_ABSENT;
}

void event_sink_add(struct event_sink *s, const struct trace_event *e)
{
    s->block.counts.events++;
    switch (e->ph) {
    case 'X':
        sink_complete(s, e);
        break;
    case 's':
    case 't':
    case 'f':
        s->block.counts.flows++;
        break;
    case 'M':
        sink_metadata(s, e);
        break;
    case 'i':
    case 'I':
        if (json_text_is(&e->name, "[memory]"))
            sink_memory(s, e);
        else
            s->block.counts.instants++;
        break;
    case 'C':
        s->block.counts.counters++;
        break;
    case '\0':
        if (is_empty(e))
            s->block.counts.empty++;
        else
            sink_note(s, TRACE_NOTE_NO_PH, e);
        break;
    default:
        sink_note(s, TRACE_NOTE_OTHER_PH, e);
        break;
    }
}
