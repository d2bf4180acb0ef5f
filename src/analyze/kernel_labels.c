#include "analyze/kernel_labels.h"

#include "analyze/kernel_label.h"
#include "analyze/kernel_words.h"
#include "base/mem.h"
#include "base/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- what a name is made of --- */

/* Parts of a raw name, one after another: words, and numbers with the word before. */
struct parts {
    const char *at, *end;
    const char *label; /* its words tell nothing apart */
    struct strbuf owner, part;
};

static void parts_begin(struct parts *p, const char *raw, const char *label)
{
    p->at = raw;
    p->end = raw + strnlen(raw, KERNEL_NAME_READ_BYTES);
    p->label = label;
    strbuf_clear(&p->owner);
}

/* Words of the language and of those who write kernels, that come in any name. */
static bool is_common(const char *word)
{
    static const char *const common[] = {
        "kernel",    "void", "at",  "native",  "detail", "const", "impl",  "anonymous",
        "namespace", "c10",  "std", "cutlass", "cudnn",  "true",  "false", "unsigned",
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (!strcasecmp(word, common[i]))
            return true;
    return false;
}

/* The next part that may tell a name from others; false: there is none left. */
static bool parts_next(struct parts *p)
{
    enum { PART_BYTES_MAX = 24 };
    while (p->at < p->end) {
        const char *s = p->at;
        while (p->at < p->end && isalnum((unsigned char)*p->at))
            p->at++;
        size_t len = (size_t)(p->at - s);
        p->at += !len;
        if (!len || len > PART_BYTES_MAX)
            continue;
        strbuf_clear(&p->part);
        if (strspn(s, "0123456789") >= len) {
            strbuf_puts(&p->part, p->owner.s);
            strbuf_puts(&p->part, p->owner.len ? " " : "");
            strbuf_add(&p->part, s, len);
            return true;
        }
        strbuf_add(&p->part, s, len);
        if (is_common(p->part.s) || strcasestr(p->label, p->part.s))
            continue;
        if (!kernel_type_of(s, len)) {
            strbuf_clear(&p->owner);
            strbuf_add(&p->owner, s, len);
        }
        return true;
    }
    return false;
}

/* --- names of one label --- */

struct labelling {
    struct kernel_labels *out;
    const char *const *raw;
    struct names taken; /* labels that are given */
    struct parts parts;
};

/* How many of a group have a part: by its id. */
struct shared {
    struct names part;
    uint32_t *count;
    size_t *last; /* the member that was counted last, plus one */
    size_t cap, cap_last;
};

static void shared_count(struct shared *s, struct parts *p, size_t member)
{
    size_t before = s->part.n;
    name_id id = names_add(&s->part, p->part.s, p->part.len);
    vec_grow(s->count, s->cap, (size_t)id + 1);
    vec_grow(s->last, s->cap_last, (size_t)id + 1);
    if (s->part.n > before)
        s->count[id] = 0, s->last[id] = 0;
    if (s->last[id] != member + 1)
        s->count[id]++;
    s->last[id] = member + 1;
}

static const char *kept(struct labelling *l, const struct strbuf *text)
{
    names_add(&l->taken, text->s, text->len);
    return arena_strndup(&l->out->text, text->s, text->len);
}

/* The first part of a name that it alone has; false: there is none. */
static bool own_part(struct labelling *l, const struct shared *s, size_t name)
{
    for (parts_begin(&l->parts, l->raw[name], l->out->label[name]);
         parts_next(&l->parts);)
        if (s->count[names_find(&s->part, l->parts.part.s, l->parts.part.len)] == 1)
            return true;
    return false;
}

/* Numbers where words are not enough. */
static void give_label(struct labelling *l, size_t name, const char *part, size_t *number)
{
    const char *label = l->out->label[name];
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, label);
    if (*part)
        strbuf_printf(&text, " · %s", part);
    while (names_find(&l->taken, text.s, text.len) >= 0) {
        strbuf_clear(&text);
        strbuf_printf(&text, "%s #%zu", label, ++*number);
    }
    l->out->label[name] = kept(l, &text);
    strbuf_release(&text);
}

/* Give those their labels that have a part of their own; the others, whose number is
 * returned, stand at the front then. */
static size_t label_those_apart(struct labelling *l, size_t *member, size_t n,
                                size_t *number)
{
    struct shared s = {0};
    size_t left = 0;
    names_init(&s.part);
    for (size_t i = 0; i < n; i++)
        for (parts_begin(&l->parts, l->raw[member[i]], l->out->label[member[i]]);
             parts_next(&l->parts);)
            shared_count(&s, &l->parts, i);
    for (size_t i = 0; i < n; i++)
        if (own_part(l, &s, member[i]))
            give_label(l, member[i], l->parts.part.s, number);
        else
            member[left++] = member[i];
    names_release(&s.part);
    mem_free(s.count);
    mem_free(s.last);
    return left;
}

/* Those without a word of their own may have one once the others are out of the way. */
static void label_group(struct labelling *l, size_t *member, size_t n)
{
    enum { ROUNDS = 4 };
    size_t number = 1;
    for (int round = 0; round < ROUNDS && n > 1; round++) {
        size_t left = label_those_apart(l, member, n, &number);
        if (left == n)
            break;
        n = left;
    }
    for (size_t i = 0; i < n; i++)
        give_label(l, member[i], "", &number);
}

/* --- all names --- */

static int compare_labels(const void *a, const void *b, void *labelling)
{
    const struct labelling *l = labelling;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = strcmp(l->out->label[i], l->out->label[j]);
    return order ? order : strcmp(l->raw[i], l->raw[j]);
}

static void label_each(struct labelling *l)
{
    struct strbuf text;
    strbuf_init(&text);
    for (size_t i = 0; i < l->out->n; i++) {
        strbuf_clear(&text);
        kernel_label(&text, l->raw[i]);
        char *library = l->out->amd ? strstr(text.s, "(NCCL)") : NULL;
        if (library)
            library[1] = 'R';
        l->out->label[i] = arena_strndup(&l->out->text, text.s, text.len);
    }
    strbuf_release(&text);
}

/* Labels of one name each stand first, so that none of the others can take them. */
static void label_groups(struct labelling *l, size_t *order, bool single)
{
    const char **label = l->out->label;
    for (size_t i = 0, end; i < l->out->n; i = end) {
        for (end = i + 1; end < l->out->n;) {
            if (strcmp(label[order[i]], label[order[end]]) != 0)
                break;
            end++;
        }
        if (single && end == i + 1)
            names_add_z(&l->taken, label[order[i]]);
        else if (!single && end > i + 1)
            label_group(l, order + i, end - i);
    }
}

static void labels_init(struct kernel_labels *l, const char *const *raw, size_t n,
                        bool amd)
{
    struct labelling work = {.out = l, .raw = raw};
    size_t *order = mem_zalloc(n + 1, sizeof *order);
    arena_init(&l->text);
    l->of_name = NULL;
    l->amd = amd;
    l->label = mem_zalloc(n + 1, sizeof *l->label);
    l->n = n;
    names_init(&work.taken);
    strbuf_init(&work.parts.owner);
    strbuf_init(&work.parts.part);
    label_each(&work);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, compare_labels, &work);
    label_groups(&work, order, true);
    label_groups(&work, order, false);
    strbuf_release(&work.parts.owner);
    strbuf_release(&work.parts.part);
    names_release(&work.taken);
    mem_free(order);
}

void kernel_labels_init(struct kernel_labels *l, const char *const *raw, size_t n)
{
    labels_init(l, raw, n, false);
}

/* By the name of a device, or by the runtime that launches on it. */
static bool is_amd(const struct run *run)
{
    const struct ops *o = &run->ops;
    for (size_t i = 0; i < run->ranks.table.n; i++) {
        const char *device = run_name(run, run->ranks.device[i]);
        if (strstr(device, "AMD") || strstr(device, "Instinct"))
            return true;
    }
    for (size_t i = 0; i < o->table.n; i++)
        if (o->place[i] == LANE_KIND_CPU &&
            (o->kind[i] == SPAN_KIND_RUNTIME || o->kind[i] == SPAN_KIND_SYNC) &&
            !strncmp(run_name(run, o->name[i]), "hip", 3))
            return true;
    return false;
}

void kernel_labels_of_run(struct kernel_labels *l, const struct run *run)
{
    const struct ops *o = &run->ops;
    bool *seen = mem_zalloc(run->names.n + 1, sizeof *seen);
    name_id *id = mem_zalloc(o->table.n + 1, sizeof *id);
    const char **raw = mem_zalloc(o->table.n + 1, sizeof *raw);
    size_t n = 0;
    for (size_t row = 0; row < o->table.n; row++) {
        if (o->place[row] != LANE_KIND_DEVICE || seen[o->name[row]])
            continue;
        seen[o->name[row]] = true;
        id[n] = o->name[row];
        raw[n++] = run_name(run, o->name[row]);
    }
    labels_init(l, raw, n, is_amd(run));
    l->of_name = mem_zalloc(run->names.n + 1, sizeof *l->of_name);
    for (size_t i = 0; i < n; i++)
        l->of_name[id[i]] = l->label[i];
    mem_free(seen);
    mem_free(id);
    mem_free(raw);
}

void kernel_labels_release(struct kernel_labels *l)
{
    arena_release(&l->text);
    mem_free(l->label);
    mem_free(l->of_name);
    l->label = l->of_name = NULL;
    l->n = 0;
}
