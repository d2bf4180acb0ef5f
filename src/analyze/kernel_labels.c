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
        "kernel", "void", "at", "native", "detail", "const", "impl", "anonymous",
        "namespace", "c10", "std", "cutlass", "cudnn", "true", "false", "unsigned",
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

/* The label with the part that this name alone has; "#2" where that is not enough. */
static void tell_apart(struct labelling *l, const struct shared *s, size_t name,
                       size_t *number)
{
    const char *label = l->out->label[name];
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, label);
    for (parts_begin(&l->parts, l->raw[name], label); parts_next(&l->parts);)
        if (s->count[names_find(&s->part, l->parts.part.s, l->parts.part.len)] == 1) {
            strbuf_printf(&text, " · %s", l->parts.part.s);
            break;
        }
    while (names_find(&l->taken, text.s, text.len) >= 0) {
        strbuf_clear(&text);
        strbuf_printf(&text, "%s #%zu", label, ++*number);
    }
    l->out->label[name] = kept(l, &text);
    strbuf_release(&text);
}

static void label_group(struct labelling *l, const size_t *member, size_t n)
{
    struct shared s = {0};
    size_t number = 1;
    names_init(&s.part);
    for (size_t i = 0; i < n && n > 1; i++)
        for (parts_begin(&l->parts, l->raw[member[i]], l->out->label[member[i]]);
             parts_next(&l->parts);)
            shared_count(&s, &l->parts, i);
    if (n > 1)
        for (size_t i = 0; i < n; i++)
            tell_apart(l, &s, member[i], &number);
    names_release(&s.part);
    mem_free(s.count);
    mem_free(s.last);
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
        l->out->label[i] = arena_strndup(&l->out->text, text.s, text.len);
    }
    strbuf_release(&text);
}

/* Labels of one name each stand first, so that none of the others can take them. */
static void label_groups(struct labelling *l, const size_t *order, bool single)
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
        else if (!single)
            label_group(l, order + i, end - i);
    }
}

void kernel_labels_init(struct kernel_labels *l, const char *const *raw, size_t n)
{
    struct labelling work = {.out = l, .raw = raw};
    size_t *order = mem_zalloc(n + 1, sizeof *order);
    arena_init(&l->text);
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

void kernel_labels_release(struct kernel_labels *l)
{
    arena_release(&l->text);
    mem_free(l->label);
    l->label = NULL;
    l->n = 0;
}
