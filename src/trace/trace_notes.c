#include "trace/trace_notes.h"

#include <stdio.h>
#include <string.h>

#define NOTE_TEXT(v, lost, text) text,
#define NOTE_LOST(v, lost, text) lost,
static const char *const note_text[] = {TRACE_NOTE_LIST(NOTE_TEXT)};
static const int note_lost[] = {TRACE_NOTE_LIST(NOTE_LOST)};

static void note_count(struct trace_notes *n, enum trace_note what, int64_t offset,
                       int64_t times)
{
    if (times && (!n->count[what] || offset < n->offset[what]))
        n->offset[what] = offset;
    n->count[what] += times;
    n->any = true;
}

void trace_note(struct trace_notes *n, enum trace_note what, int64_t offset)
{
    note_count(n, what, offset, 1);
}

void trace_note_bytes(struct trace_notes *n, enum trace_note what, int64_t offset,
                      int64_t bytes)
{
    trace_note(n, what, offset);
    n->bytes[what] += bytes;
}

/* The entry of this category, made when there is room, else NULL. */
static struct category_note *find_category(struct trace_notes *n, const char *name)
{
    for (int i = 0; i < n->categories; i++)
        if (!strcmp(n->category[i].name, name))
            return &n->category[i];
    if (n->categories == NOTE_CATEGORIES_MAX)
        return NULL;
    struct category_note *c = &n->category[n->categories++];
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static void note_category(struct trace_notes *n, const char *name, int64_t offset,
                          int64_t times)
{
    struct category_note *c = find_category(n, name);
    if (!c) {
        note_count(n, TRACE_NOTE_UNKNOWN_CATEGORY, offset, times);
        return;
    }
    if (!c->count || offset < c->offset)
        c->offset = offset;
    c->count += times;
    n->any = true;
}

void trace_note_category(struct trace_notes *n, const char *cat, size_t len,
                         int64_t offset)
{
    char name[NOTE_CATEGORY_BYTES];
    size_t keep = len < sizeof name - 1 ? len : sizeof name - 1;
    for (size_t i = 0; i < keep; i++)
        name[i] = cat[i] >= 0x20 && cat[i] < 0x7f ? cat[i] : '?';
    name[keep] = '\0';
    note_category(n, name, offset, 1);
}

void trace_notes_merge(struct trace_notes *dst, const struct trace_notes *src)
{
    if (!src->any)
        return;
    for (int i = 0; i < TRACE_NOTE_COUNT; i++) {
        note_count(dst, (enum trace_note)i, src->offset[i], src->count[i]);
        dst->bytes[i] += src->bytes[i];
    }
    for (int i = 0; i < src->categories; i++)
        note_category(dst, src->category[i].name, src->category[i].offset,
                      src->category[i].count);
}

int64_t trace_notes_lost(const struct trace_notes *n)
{
    int64_t lost = 0;
    for (int i = 0; i < TRACE_NOTE_COUNT; i++)
        lost += note_lost[i] * n->count[i];
    for (int i = 0; i < n->categories; i++)
        lost += n->category[i].count;
    return lost;
}

static void add_note(struct run *run, int32_t rank, int64_t offset, int64_t count,
                     const char *text)
{
    notes_add(&run->notes, (struct note){.rank = rank,
                                         .offset = offset,
                                         .count = count,
                                         .text = names_add_z(&run->names, text)});
}

void trace_notes_to_run(const struct trace_notes *n, struct run *run, int32_t rank)
{
    char text[256];
    for (int i = 0; i < TRACE_NOTE_COUNT; i++) {
        if (!n->count[i])
            continue;
        int used = snprintf(text, sizeof text, "%s", note_text[i]);
        if (n->bytes[i])
            snprintf(text + used, sizeof text - (size_t)used, " (%lld bytes of text)",
                     (long long)n->bytes[i]);
        add_note(run, rank, n->offset[i], n->count[i], text);
    }
    for (int i = 0; i < n->categories; i++) {
        snprintf(text, sizeof text,
                 "an event of category \"%s\", which is not known: not used",
                 n->category[i].name);
        add_note(run, rank, n->category[i].offset, n->category[i].count, text);
    }
}
