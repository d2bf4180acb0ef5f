#include "execution/node_table.h"

#include "base/mem.h"
#include "trace/name_table.h"

#include <stdlib.h>

void node_table_init(struct node_table *t, struct run *run)
{
    *t = (struct node_table){.run = run};
}

enum status node_table_name(name_id *id, struct node_table *t, const char *s, size_t len,
                            struct err *err)
{
    struct names *names = &t->run->names;
    if (len > NAME_BYTES_MAX)
        for (len = NAME_BYTES_MAX; len && ((unsigned char)s[len] & 0xc0) == 0x80;)
            len--; /* not within a character */
    int64_t known = names_find(names, s, len);
    if (known < 0) {
        if (t->names >= NAMES_MAX || t->names_bytes + len > NAMES_TEXT_BYTES_MAX)
            return err_set(err, STATUS_INPUT,
                           "it has more than %d names and shapes, or they take more than "
                           "%d MB; observe fewer steps, three are enough",
                           NAMES_MAX, NAMES_TEXT_BYTES_MAX >> 20);
        t->names++;
        t->names_bytes += len;
    }
    *id = known >= 0 ? (name_id)known : names_add(names, s, len);
    return STATUS_OK;
}

void node_table_release(struct node_table *t)
{
    mem_free(t->node);
    mem_free(t->tensor);
    mem_free(t->schema);
    mem_free(t->schema_of);
}

static int compare_ids(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The row of a node among those before `end`; NODE_NONE: it is not there. */
static int32_t row_of(const struct node_table *t, int64_t id, size_t end)
{
    size_t low = 0, high = end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->node[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end && t->node[low].id == id ? (int32_t)low : NODE_NONE;
}

/* A call is called by one that began before it, so there are no cycles; the outermost
 * names itself. */
static enum status find_parents(struct node_table *t, struct err *err)
{
    for (size_t i = 0; i < t->n; i++) {
        struct node *x = &t->node[i];
        if (i && x->id == x[-1].id)
            return err_set(err, STATUS_INPUT,
                           "two nodes have the id %lld; is it two files, one behind the "
                           "other?",
                           (long long)x->id);
        if (x->parent_id > x->id)
            return err_set(err, STATUS_INPUT,
                           "node %lld is called by node %lld, which began later; was the "
                           "file edited? Record it again",
                           (long long)x->id, (long long)x->parent_id);
        x->parent = row_of(t, x->parent_id, i);
    }
    return STATUS_OK;
}

enum status node_table_read(struct node_table *t, struct node_stream *s, struct err *err)
{
    for (;;) {
        enum status st = node_stream_next(s, err);
        if (!st && !s->len)
            break;
        if (!st && (t->n == NODES_MAX || t->tensors > NODE_TENSORS_MAX))
            st = err_set(err, STATUS_INPUT,
                         "it has more than %d nodes or %d tensors; observe fewer steps, "
                         "three are enough",
                         NODES_MAX, NODE_TENSORS_MAX);
        if (st)
            return st;
        st = node_parse(t, s->text, s->len, err);
        if (st)
            return err_prefix(err, "node that begins at byte %lld", (long long)s->begin);
    }
    if (t->n)
        qsort(t->node, t->n, sizeof *t->node, compare_ids);
    return find_parents(t, err);
}
