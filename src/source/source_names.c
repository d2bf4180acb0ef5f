/* What names stand for: bindings, imports, words. */
#ifdef GAIT_TREE_SITTER
#include "base/mem.h"
#include "source/source_syntax.h"

#include <ctype.h>
#include <string.h>

static uint32_t hash_of(struct slice name, int32_t scope)
{
    return slice_hash(name, (uint32_t)scope * 2654435761u) % SYNTAX_HASH_SIZE;
}

static int32_t newest(const struct source_syntax *s, struct slice name, int32_t scope)
{
    int32_t i = s->binding_of_hash[hash_of(name, scope)];
    while (i >= 0 &&
           (s->bindings[i].scope != scope || !slice_equal(s->bindings[i].name, name)))
        i = s->bindings[i].next_hash;
    return i;
}

int32_t binding_add(struct source_syntax *s, struct binding b)
{
    uint32_t h = hash_of(b.name, b.scope);
    b.previous = newest(s, b.name, b.scope);
    b.next_hash = s->binding_of_hash[h];
    vec_grow(s->bindings, s->cap_bindings, s->n_bindings + 1);
    s->bindings[s->n_bindings] = b;
    s->binding_of_hash[h] = (int32_t)s->n_bindings;
    return (int32_t)s->n_bindings++;
}

static const struct binding *before(const struct source_syntax *s, int32_t i,
                                    uint32_t byte)
{
    int32_t first = i;
    for (; i >= 0; i = s->bindings[i].previous) {
        if (s->bindings[i].byte <= byte)
            return &s->bindings[i];
        first = i;
    }
    return first >= 0 ? &s->bindings[first] : NULL;
}

static int32_t outer_scope(const struct source_syntax *s, int32_t scope)
{
    int32_t place = s->facts->functions[scope].place;
    return source_function_of(s->facts, s->facts->places[place].parent);
}

const struct binding *binding_of(const struct source_syntax *s, struct slice name,
                                 int32_t place, uint32_t byte)
{
    int32_t scope = source_function_of(s->facts, place);
    int32_t i = newest(s, name, scope);
    while (i < 0 && scope >= 0) {
        scope = outer_scope(s, scope);
        i = newest(s, name, scope);
    }
    return before(s, i, byte);
}

const struct binding *binding_of_self(const struct source_syntax *s, struct slice name,
                                      int32_t place, uint32_t byte)
{
    int32_t owner = source_class_of(s->facts, place);
    return owner < 0 ? NULL : before(s, newest(s, name, SCOPE_CLASS(owner)), byte);
}

void binding_note_change(struct source_syntax *s, TSNode of, int32_t place)
{
    uint32_t byte = ts_node_start_byte(of);
    const struct binding *b = NULL;
    for (int deep = 0; python_node(of) == PY_subscript && deep < 8; deep++)
        of = python_field(of, FIELD_value);
    if (python_node(of) == PY_identifier)
        b = binding_of(s, python_slice(s->text, of), place, byte);
    else if (python_node(of) == PY_attribute &&
             slice_is(python_slice(s->text, python_field(of, FIELD_object)), "self"))
        b = binding_of_self(s, python_slice(s->text, python_field(of, FIELD_attribute)),
                            place, byte);
    if (b)
        s->bindings[b - s->bindings].changed = true;
}

void binding_show_tensor(struct source_syntax *s, TSNode name, int32_t place)
{
    if (python_node(name) != PY_identifier)
        return;
    const struct binding *seen =
        binding_of(s, python_slice(s->text, name), place, ts_node_start_byte(name));
    if (!seen || (seen->kind != KIND_UNKNOWN && seen->kind != KIND_TENSOR))
        return;
    struct binding *b = &s->bindings[seen - s->bindings];
    b->kind = KIND_TENSOR;
    b->shown = true;
}

void import_add(struct source_syntax *s, struct slice alias, const char *full)
{
    uint32_t h = hash_of(alias, 0);
    vec_grow(s->imports, s->cap_imports, s->n_imports + 1);
    s->imports[s->n_imports] = (struct import){alias, full, s->import_of_hash[h]};
    s->import_of_hash[h] = (int32_t)s->n_imports++;
}

/* x of x.detach().data; a null node where more than views lie between. */
static TSNode viewed(const struct source_syntax *s, TSNode n)
{
    enum { VIEWS_MAX = 6 };
    static const TSNode none = {0};
    for (int i = 0; i < VIEWS_MAX && python_node(n) != PY_identifier; i++) {
        TSNode callee = python_field(n, FIELD_function);
        TSNode part = python_node(n) == PY_call ? callee : n;
        struct slice name = python_slice(s->text, python_field(part, FIELD_attribute));
        if (!slice_is(name, "detach") && !slice_is(name, "data") &&
            !slice_is(name, "squeeze") && !slice_is(name, "flatten"))
            return none;
        n = python_field(part, FIELD_object);
    }
    return n;
}

void binding_show_host(struct source_syntax *s, TSNode object, int32_t place)
{
    TSNode name = viewed(s, object);
    if (python_node(name) != PY_identifier)
        return;
    const struct binding *seen =
        binding_of(s, python_slice(s->text, name), place, ts_node_start_byte(name));
    if (seen && (seen->kind == KIND_UNKNOWN || seen->kind == KIND_TENSOR))
        s->bindings[seen - s->bindings].kind = KIND_HOST;
}

static const char *import_of(const struct source_syntax *s, struct slice alias)
{
    int32_t i = s->import_of_hash[hash_of(alias, 0)];
    while (i >= 0 && !slice_equal(s->imports[i].alias, alias))
        i = s->imports[i].next_hash;
    return i >= 0 ? s->imports[i].full : NULL;
}

void full_name(const struct source_syntax *s, TSNode n, char *out, size_t size)
{
    enum { PARTS_MAX = 12 };
    struct slice parts[PARTS_MAX];
    size_t count = 0, len = 0;
    *out = '\0';
    while (python_node(n) == PY_attribute && count < PARTS_MAX) {
        parts[count++] = python_slice(s->text, python_field(n, FIELD_attribute));
        n = python_field(n, FIELD_object);
    }
    if (python_node(n) != PY_identifier || count == PARTS_MAX)
        return;
    struct slice root = python_slice(s->text, n);
    const char *full = import_of(s, root);
    if (full)
        root = (struct slice){full, strlen(full)};
    for (size_t i = count + 1; i-- > 0;) {
        struct slice part = i == count ? root : parts[i];
        if (len + part.len + 2 > size) {
            *out = '\0';
            return;
        }
        memcpy(out + len, part.s, part.len);
        len += part.len;
        out[len++] = i ? '.' : '\0';
    }
}

/* The length of the word that begins at s[0..len): lower case, or one upper letter and
 * what follows in lower case, or all upper. */
static size_t word_length(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && isupper((unsigned char)s[n]))
        n++;
    if (n > 1)
        return n;
    while (n < len && islower((unsigned char)s[n]))
        n++;
    return n;
}

/* Looks at those words alone that begin with this letter. A word with a NUL byte, which a
 * text may have, ends for compare() there: it could reach beyond the list. */
static bool is_listed_from(char first, struct slice word, const char *list,
                           int (*compare)(const char *, const char *, size_t))
{
    for (const char *at = list; (at = strchr(at, first)); at++)
        if ((at == list || at[-1] == ' ') && !compare(at, word.s, word.len) &&
            strnlen(at, word.len) == word.len && (at[word.len] == ' ' || !at[word.len]))
            return true;
    return false;
}

bool word_is_listed(struct slice word, const char *list)
{
    return word.len && is_listed_from(*word.s, word, list, strncmp);
}

/* In any case of letters. */
static bool is_word_of(const char *s, size_t len, const char *words)
{
    struct slice word = {s, len};
    return is_listed_from((char)tolower((unsigned char)*s), word, words, strncasecmp) ||
           is_listed_from((char)toupper((unsigned char)*s), word, words, strncasecmp);
}

bool name_has_word(struct slice name, const char *words)
{
    for (size_t i = 0; i < name.len;) {
        size_t n = word_length(name.s + i, name.len - i);
        if (n && is_word_of(name.s + i, n, words))
            return true;
        i += n ? n : 1;
    }
    return false;
}

TSNode argument_at(TSNode arguments, uint32_t i)
{
    static const TSNode none = {0};
    uint32_t n = python_children(arguments), at = 0;
    enum { LOOKED_AT_MAX = 64 };
    for (uint32_t k = 0; k < n && k < LOOKED_AT_MAX; k++) {
        TSNode a = python_child(arguments, k);
        enum python_node kind = python_node(a);
        if (kind == PY_comment)
            continue;
        if (kind == PY_keyword_argument || kind == PY_list_splat ||
            kind == PY_dictionary_splat)
            return none;
        if (at++ == i)
            return a;
    }
    return none;
}

TSNode argument_named(const struct source_syntax *s, TSNode arguments, const char *name)
{
    static const TSNode none = {0};
    enum { LOOKED_AT_MAX = 64 };
    uint32_t n = python_children(arguments);
    for (uint32_t k = 0; k < n && k < LOOKED_AT_MAX; k++) {
        TSNode a = python_child(arguments, k);
        if (python_node(a) == PY_keyword_argument &&
            slice_is(python_slice(s->text, python_field(a, FIELD_name)), name))
            return python_field(a, FIELD_value);
    }
    return none;
}

bool arguments_splat(TSNode arguments)
{
    enum { LOOKED_AT_MAX = 64 };
    uint32_t n = python_children(arguments);
    for (uint32_t k = 0; k < n && k < LOOKED_AT_MAX; k++) {
        enum python_node kind = python_node(python_child(arguments, k));
        if (kind == PY_list_splat || kind == PY_dictionary_splat)
            return true;
    }
    return n > LOOKED_AT_MAX;
}
#endif
