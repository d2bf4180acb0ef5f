#include "analyze/kernel_name.h"

#include <ctype.h>
#include <string.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* --- symbols that are still mangled --- */

/* Itanium's ABI: <length><identifier>. Its length in digits, 0 where there is none. */
static size_t source_name(const char *s, const char **name, size_t *len)
{
    size_t digits = strspn(s, "0123456789");
    *len = 0;
    for (size_t i = 0; i < digits && *len < KERNEL_NAME_READ_BYTES; i++)
        *len = 10 * *len + (size_t)(s[i] - '0');
    *name = s + digits;
    if (!*len || strnlen(*name, *len) < *len)
        return 0;
    for (size_t i = 0; i < *len; i++)
        if (!is_word_char((*name)[i]))
            return 0;
    return digits;
}

struct code {
    const char *mangled, *type;
};

static const struct code built_in_types[] = {
    {"DF16b", "bfloat16"}, {"DF16_", "half"}, {"Dh", "half"}, {"f", "float"},
    {"d", "double"},       {"i", "int"},      {"l", "long"},  {"b", "bool"},
    {"t", "OpaqueType"}, /* CK's bf16 on older compilers, or anything else of 16 bits */
};

/* The type that s begins with; NULL: none that is of interest. */
static const struct code *built_in_type(const char *s)
{
    for (size_t i = 0; i < sizeof built_in_types / sizeof *built_in_types; i++)
        if (!strncmp(s, built_in_types[i].mangled, strlen(built_in_types[i].mangled)))
            return &built_in_types[i];
    return NULL;
}

/* "Li64E", "Lb0E": the bytes that a literal takes; 0: it is none. */
static size_t literal_bytes(const char *s)
{
    if (s[0] != 'L' || !islower((unsigned char)s[1]))
        return 0;
    size_t n = 2 + strspn(s + 2, "n0123456789");
    return s[n] == 'E' ? n + 1 : 0;
}

/* "S_", "S4_", "T0_": what stood before, or a parameter. */
static size_t substitution_bytes(const char *s)
{
    if (s[0] != 'S' && s[0] != 'T')
        return 0;
    size_t n = 1 + strspn(s + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return s[n] == '_' ? n + 1 : 0;
}

/* Template arguments as a flat list: who nests in whom does not matter to a label. Types
 * of parameters stand behind the end of the arguments and are none of them. */
static void add_arguments(struct strbuf *out, const char *s)
{
    const char *name;
    size_t len;
    while (*s) {
        const struct code *type = built_in_type(s);
        if (source_name(s, &name, &len)) {
            strbuf_add(out, name, len);
            strbuf_puts(out, ", ");
            s = name + len;
        } else if ((len = literal_bytes(s))) {
            strbuf_add(out, s + 2, len - 3);
            strbuf_puts(out, ", ");
            s += len;
        } else if ((len = substitution_bytes(s))) {
            s += len;
        } else if (!strncmp(s, "EEv", 3)) { /* the arguments end, a function begins */
            return;
        } else if (!strncmp(s, "Xad", 3)) { /* the address of what follows */
            s += 3;
        } else {
            if (type) {
                strbuf_puts(out, type->type);
                strbuf_puts(out, ", ");
            }
            s += type ? strlen(type->mangled) : 1;
        }
    }
}

/* "_ZN5aiter12quant_kernelIDF16bLi8EEEvPf" → "aiter::quant_kernel<bfloat16, 8, >" */
static bool demangle(struct strbuf *out, const char *s)
{
    const char *name;
    size_t len, parts = 0;
    if (strncmp(s, "_Z", 2) != 0)
        return false;
    for (s += 2 + (s[2] == 'N'); source_name(s, &name, &len); s = name + len) {
        if (strncmp(name, "_GLOBAL__N_", 11) != 0) {
            strbuf_puts(out, parts++ ? "::" : "");
            strbuf_add(out, name, len);
        }
    }
    if (parts && *s == 'I') {
        strbuf_putc(out, '<');
        add_arguments(out, s + 1);
        strbuf_putc(out, '>');
    }
    return parts;
}

/* --- demangled names --- */

static const char unnamed[] = "(anonymous namespace)";

/* Where in the name things stand. */
struct places {
    const char *name, *base; /* begins */
    const char *base_end, *args, *args_end;
    const char *end; /* of the name: its parameters begin */
};

static void places_begin(struct places *p, const char *name)
{
    *p = (struct places){.name = name, .base = name};
}

static void open_angle(struct places *p, const char *s, int depth)
{
    if (depth)
        return;
    p->base_end = s;
    p->args = s + 1;
    p->args_end = NULL;
}

/* A blank outside of brackets ends the return type, "::" a scope, "(" the name. */
static void find_places(struct places *p, const char *s)
{
    int depth = 0;
    for (places_begin(p, s); *s; s++) {
        if (!strncmp(s, unnamed, sizeof unnamed - 1)) {
            s += sizeof unnamed - 2;
        } else if (*s == '(' && !depth) {
            break;
        } else if (*s == '<' || *s == '(' || *s == '{') {
            if (*s == '<')
                open_angle(p, s, depth);
            depth++;
        } else if (s[0] == '-' && s[1] == '>') {
            s++;
        } else if (*s == '>' || *s == ')' || *s == '}') {
            depth -= depth > 0;
            if (!depth && p->args && !p->args_end)
                p->args_end = s;
        } else if (!depth && *s == ' ') {
            places_begin(p, s + 1);
        } else if (!depth && s[0] == ':' && s[1] == ':') {
            p->base = s + 2;
            p->base_end = p->args = p->args_end = NULL;
            s++;
        }
    }
    p->end = s;
}

static void take(struct strbuf *out, const char *from, const char *to)
{
    if (from && to > from)
        strbuf_add(out, from, (size_t)(to - from));
}

static void split(struct kernel_name *k, const char *text)
{
    struct places p;
    if (!strpbrk(text, "<(")) { /* "my range 3" is no function with a return type */
        const char *scope = strstr(text, "::") ? strrchr(text, ':') + 1 : text;
        strbuf_puts(&k->whole, text);
        strbuf_puts(&k->base, scope);
        return;
    }
    find_places(&p, text);
    take(&k->whole, p.name, p.end);
    take(&k->base, p.base, p.base_end ? p.base_end : p.end);
    take(&k->args, p.args, p.args_end ? p.args_end : p.end);
}

void kernel_name_init(struct kernel_name *k, const char *raw)
{
    struct strbuf text, demangled;
    strbuf_init(&k->whole);
    strbuf_init(&k->base);
    strbuf_init(&k->args);
    strbuf_init(&text);
    strbuf_init(&demangled);
    strbuf_add(&text, raw, strnlen(raw, KERNEL_NAME_READ_BYTES));
    char *copy_of = strstr(text.s, " [clone"); /* the compiler's, of the same kernel */
    if (copy_of)
        *copy_of = '\0';
    split(k, demangle(&demangled, text.s) ? demangled.s : text.s);
    strbuf_release(&text);
    strbuf_release(&demangled);
}

void kernel_name_release(struct kernel_name *k)
{
    strbuf_release(&k->whole);
    strbuf_release(&k->base);
    strbuf_release(&k->args);
}

/* --- identifiers --- */

static void step_over(struct identifier_scan *scan)
{
    const char *s = scan->at;
    scan->angles += *s == '<';
    scan->angles -= *s == '>' && scan->angles > 0;
    if (*s == '(')
        scan->parens++;
    scan->parens -= *s == ')' && scan->parens > 0;
    if (*s == '{')
        scan->lambdas++;
    scan->lambdas -= *s == '}' && scan->lambdas > 0;
    scan->at++;
}

bool identifier_next(struct identifier_scan *scan, struct identifier *found)
{
    while (*scan->at) {
        const char *s = scan->at;
        if (!strncmp(s, unnamed, sizeof unnamed - 1)) {
            scan->at += sizeof unnamed - 1;
        } else if (!is_word_char(*s)) {
            step_over(scan);
        } else {
            size_t len = 0;
            while (is_word_char(s[len]))
                len++;
            scan->at += len;
            if (isdigit((unsigned char)*s))
                continue;
            *found = (struct identifier){.s = s,
                                         .len = len,
                                         .is_scope = s[len] == ':' && s[len + 1] == ':',
                                         .angles = scan->angles,
                                         .in_parameter = scan->parens > scan->lambdas};
            return true;
        }
    }
    return false;
}

bool identifier_is(const struct identifier *i, const char *word)
{
    return strlen(word) == i->len && !memcmp(i->s, word, i->len);
}
