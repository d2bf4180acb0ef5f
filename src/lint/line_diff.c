/*
 * Lines that occur once in each text are anchors: the longest sequence of them that has
 * the same order in both is kept (patience diff). Between two anchors equal lines at both
 * ends are kept; of the rest, a short one is solved exactly, a long one differs as a
 * whole.
 */
#include "lint/line_diff.h"

#include "base/mem.h"
#include "base/names.h"

#include <string.h>

enum { EXACT_MAX = 256 }; /* lines between anchors: a table of 65 thousand cells */

struct anchor {
    size_t old, new;
    size_t before; /* the anchor before it in its longest sequence, + 1; 0: none */
};

struct work {
    struct line_diff *d;
    name_id *old, *new; /* (lines) equal where the lines are */
    uint16_t *table;    /* (EXACT_MAX + 1)² length of the longest common sequence */
};

struct range {
    size_t old, old_end, new, new_end;
};

/* --- lines */

static void split(struct line_list *l, const char *text, size_t len)
{
    size_t cap = 0;
    *l = (struct line_list){.text = text};
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        vec_grow(l->begin, cap, l->n + 2);
        l->begin[l->n++] = at;
        at = end ? (size_t)(end - text) + 1 : len;
    }
    vec_grow(l->begin, cap, l->n + 1);
    l->begin[l->n] = len;
    l->differs = mem_zalloc(l->n + 1, sizeof *l->differs);
}

static name_id *ids_of(struct names *t, const struct line_list *l)
{
    name_id *ids = mem_zalloc(l->n + 1, sizeof *ids);
    for (size_t i = 0; i < l->n; i++)
        ids[i] = names_add(t, l->text + l->begin[i], l->begin[i + 1] - l->begin[i]);
    return ids;
}

static void list_release(struct line_list *l)
{
    mem_free(l->begin);
    mem_free(l->differs);
}

/* --- between two anchors */

static void all_differ(struct work *w, const struct range *r)
{
    for (size_t i = r->old; i < r->old_end; i++)
        w->d->old.differs[i] = true;
    for (size_t i = r->new; i < r->new_end; i++)
        w->d->new.differs[i] = true;
}

static void trim(const struct work *w, struct range *r)
{
    while (r->old < r->old_end && r->new < r->new_end && w->old[r->old] == w->new[r->new])
        r->old++, r->new ++;
    while (r->old < r->old_end && r->new < r->new_end &&
           w->old[r->old_end - 1] == w->new[r->new_end - 1])
        r->old_end--, r->new_end--;
}

/* table[i][j]: of what is left behind old line i and new line j. */
static void fill_table(struct work *w, const struct range *r)
{
    size_t m = r->old_end - r->old, n = r->new_end - r->new, row = n + 1;
    memset(w->table, 0, (m + 1) * row * sizeof *w->table);
    for (size_t i = m; i-- > 0;)
        for (size_t j = n; j-- > 0;) {
            uint16_t down = w->table[(i + 1) * row + j];
            uint16_t right = w->table[i * row + j + 1];
            bool same = w->old[r->old + i] == w->new[r->new + j];
            w->table[i * row + j] = same ? (uint16_t)(w->table[(i + 1) * row + j + 1] + 1)
                                         : (down > right ? down : right);
        }
}

static void solve(struct work *w, const struct range *r)
{
    size_t m = r->old_end - r->old, n = r->new_end - r->new, row = n + 1, i = 0, j = 0;
    fill_table(w, r);
    while (i < m && j < n) {
        if (w->old[r->old + i] == w->new[r->new + j])
            i++, j++;
        else if (w->table[(i + 1) * row + j] >= w->table[i * row + j + 1])
            w->d->old.differs[r->old + i++] = true;
        else
            w->d->new.differs[r->new + j++] = true;
    }
    all_differ(w, &(struct range){r->old + i, r->old_end, r->new + j, r->new_end});
}

static void compare(struct work *w, struct range r)
{
    trim(w, &r);
    if (r.old == r.old_end || r.new == r.new_end || r.old_end - r.old > EXACT_MAX ||
        r.new_end - r.new > EXACT_MAX)
        all_differ(w, &r);
    else
        solve(w, &r);
}

/* --- anchors */

struct uses {
    size_t n, last; /* how often, and where last */
};

static struct uses *uses_of(const name_id *ids, size_t n, size_t n_ids)
{
    struct uses *uses = mem_zalloc(n_ids + 1, sizeof *uses);
    for (size_t i = 0; i < n; i++)
        uses[ids[i]] = (struct uses){uses[ids[i]].n + 1, i};
    return uses;
}

static size_t anchors_of(struct anchor **out, const struct work *w, size_t n_ids)
{
    struct uses *old = uses_of(w->old, w->d->old.n, n_ids);
    struct uses *new = uses_of(w->new, w->d->new.n, n_ids);
    size_t n = 0, cap = 0;
    *out = NULL;
    for (size_t i = 0; i < w->d->old.n; i++) {
        name_id id = w->old[i];
        if (old[id].n != 1 || new[id].n != 1)
            continue;
        vec_grow(*out, cap, n + 1);
        (*out)[n++] = (struct anchor){i, new[id].last, 0};
    }
    mem_free(old);
    mem_free(new);
    return n;
}

/* The longest sequence that ascends in the new text too: top[k] is the anchor with the
 * smallest new line that ends a sequence of k + 1. Returns its last anchor + 1. */
static size_t longest_sequence(struct anchor *a, size_t n)
{
    size_t *top = mem_zalloc(n + 1, sizeof *top), piles = 0;
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = piles;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (a[top[middle]].new < a[i].new)
                low = middle + 1;
            else
                high = middle;
        }
        a[i].before = low ? top[low - 1] + 1 : 0;
        top[low] = i;
        piles += low == piles;
    }
    size_t last = piles ? top[piles - 1] + 1 : 0;
    mem_free(top);
    return last;
}

void line_diff_init(struct line_diff *d, const char *old, size_t old_len, const char *new,
                    size_t new_len)
{
    struct names lines;
    struct anchor *anchors;
    split(&d->old, old, old_len);
    split(&d->new, new, new_len);
    names_init(&lines);
    struct work w = {.d = d};
    w.old = ids_of(&lines, &d->old);
    w.new = ids_of(&lines, &d->new);
    w.table =
        mem_alloc((size_t)(EXACT_MAX + 1) * (size_t)(EXACT_MAX + 1) * sizeof *w.table);
    size_t n = anchors_of(&anchors, &w, lines.n);
    struct range behind = {0, d->old.n, 0, d->new.n}; /* all that is not compared yet */
    for (size_t at = longest_sequence(anchors, n); at && anchors;
         at = anchors[at - 1].before) {
        const struct anchor *a = &anchors[at - 1];
        compare(&w,
                (struct range){a->old + 1, behind.old_end, a->new + 1, behind.new_end});
        behind.old_end = a->old;
        behind.new_end = a->new;
    }
    compare(&w, behind);
    mem_free(anchors);
    mem_free(w.old);
    mem_free(w.new);
    mem_free(w.table);
    names_release(&lines);
}

void line_diff_release(struct line_diff *d)
{
    list_release(&d->old);
    list_release(&d->new);
}
