#include "anonymous/scrub.h"

#include "anonymous/public_words.h"
#include "base/mem.h"
#include "run/name_sort.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const label_text[SCRUB_LABELS] = {
    [SCRUB_NAME] = "name",     [SCRUB_FUNCTION] = "function", [SCRUB_FILE] = "file",
    [SCRUB_FOLDER] = "folder", [SCRUB_MODULE] = "Module",     [SCRUB_HOST] = "host"};

void scrub_init(struct scrub *s)
{
    memset(s, 0, sizeof *s);
    names_init(&s->words);
}

void scrub_release(struct scrub *s)
{
    names_release(&s->words);
    mem_free(s->instead);
    mem_free(s->whole);
}

/* What rules know it by stays. */
static void add_telling_words(struct strbuf *out, const char *word, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t taken = 0;
        for (size_t i = 0; telling_word(i) && !taken; i++) {
            size_t n = strlen(telling_word(i));
            if (at + n <= len && !strncasecmp(word + at, telling_word(i), n)) {
                strbuf_printf(out, "_%s", telling_word(i));
                taken = n;
            }
        }
        at += taken ? taken : 1;
    }
}

/* A name with - or . in it is no identifier: it is looked for as a whole. */
static void find_whole(struct scrub *s, name_id id)
{
    vec_grow(s->whole, s->cap_whole, s->n_whole + 1);
    s->whole[s->n_whole++] = id;
}

void scrub_word(struct scrub *s, struct strbuf *out, const char *word, size_t len,
                enum scrub_label label)
{
    if (!len)
        return;
    size_t before = s->words.n;
    name_id id = names_add(&s->words, word, len);
    vec_grow(s->instead, s->cap, s->words.n);
    if (s->words.n > before) {
        s->instead[id].label = label;
        s->instead[id].number = ++s->count[label];
        if (label == SCRUB_HOST)
            find_whole(s, id);
    }
    strbuf_printf(out, "%s%d", label_text[s->instead[id].label], s->instead[id].number);
    if (label != SCRUB_HOST && label != SCRUB_FOLDER && label != SCRUB_FILE)
        add_telling_words(out, word, len);
}

void scrub_forget(struct scrub *s, const char *word, enum scrub_label label)
{
    struct strbuf unused;
    strbuf_init(&unused);
    scrub_word(s, &unused, word, strlen(word), label);
    if (label != SCRUB_HOST)
        find_whole(s, (name_id)names_find_z(&s->words, word));
    strbuf_release(&unused);
}

void scrub_function(struct scrub *s, struct strbuf *out, const char *name, size_t len)
{
    if (public_function(name, len))
        strbuf_add(out, name, len);
    else
        scrub_word(s, out, name, len, SCRUB_FUNCTION);
}

/* ".py", ".json.gz": what a file is. */
static size_t ending_at(const char *name, size_t len)
{
    static const char *const endings[] = {".py",   ".json", ".json.gz", ".json.zst",
                                          ".gait", ".yaml", ".txt",     ".pt.trace.json",
                                          ".pyx",  ".so",   ".cu",      ".cpp"};
    size_t best = len;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (len > n && !memcmp(name + len - n, endings[i], n) && len - n < best)
            best = len - n;
    }
    return best;
}

static void scrub_file(struct scrub *s, struct strbuf *out, const char *name, size_t len)
{
    static const char loader[] = "dataloader"; /* name_sort() knows frames of it */
    size_t ending = ending_at(name, len);
    if (ending == sizeof loader - 1 && !memcmp(name, loader, ending))
        strbuf_add(out, name, ending);
    else
        scrub_word(s, out, name, ending, SCRUB_FILE);
    strbuf_add(out, name + ending, len - ending);
}

/* What the folders before a part say of it. */
enum place { PLACE_BEGIN, PLACE_PLAIN, PLACE_LIB, PLACE_STANDARD, PLACE_INSTALLED };

static bool is_word(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && !memcmp(s, word, len);
}

static enum place place_behind(enum place before, const char *part, size_t n)
{
    if (is_word(part, n, "site-packages") || is_word(part, n, "dist-packages"))
        return PLACE_INSTALLED;
    if (is_word(part, n, "lib") || is_word(part, n, "lib64"))
        return PLACE_LIB;
    return before == PLACE_LIB && n > 6 && !memcmp(part, "python", 6) &&
                   public_folder(part, n)
               ? PLACE_STANDARD
               : PLACE_PLAIN;
}

static bool is_known_package(enum place place, const char *part, size_t n)
{
    switch (place) {
    case PLACE_BEGIN:
        return public_root(part, n);
    case PLACE_STANDARD:
        return public_standard(part, n);
    case PLACE_INSTALLED:
        return public_package(part, n);
    default:
        return false;
    }
}

/* Was all from some folder on kept as public? */
static bool put_path(struct scrub *s, struct strbuf *out, const char *path, size_t len)
{
    enum place place = PLACE_BEGIN;
    for (size_t at = 0; at < len;) {
        const char *part = path + at, *slash = memchr(part, '/', len - at);
        size_t n = slash ? (size_t)(slash - part) : len - at;
        if (slash && is_known_package(place, part, n)) {
            strbuf_add(out, part, len - at); /* known to everybody from here on */
            return true;
        }
        place = place_behind(place, part, n);
        if (!slash)
            scrub_file(s, out, part, n);
        else if (public_folder(part, n) || n == strspn(part, "."))
            strbuf_add(out, part, n);
        else
            scrub_word(s, out, part, n, SCRUB_FOLDER);
        if (slash)
            strbuf_putc(out, '/');
        at += n + (slash != NULL);
    }
    return false;
}

void scrub_path(struct scrub *s, struct strbuf *out, const char *path, size_t len)
{
    put_path(s, out, path, len);
}

/* The length of "path.py" in "path.py(12): function", or 0. */
static size_t frame_path(const char *text)
{
    const char *end = strstr(text, ".py(");
    return end && isdigit((unsigned char)end[4]) ? (size_t)(end - text) + 3 : 0;
}

/* "json/", "abc.py": what name_sort() knows Python's own frames by stays, so that they do
 * not become the user's; it is public, what is behind it may not be. */
static size_t library_beginning(const char *text, size_t path)
{
    char frame[64];
    const char *slash = memchr(text, '/', path);
    size_t n = slash ? (size_t)(slash - text) + 1 : path;
    int len =
        snprintf(frame, sizeof frame, "%.*s%s(1): f", (int)n, text, slash ? "x.py" : "");
    bool is_library = text[0] != '<' && text[0] != '/' && n < sizeof frame / 2 &&
                      name_sort(frame, (size_t)len) == NAME_SORT_OTHER;
    return is_library && !(slash && public_root(text, n - 1)) ? n : 0;
}

/* Behind a folder that was kept: a root there is none. */
static void put_rest_of_library(struct scrub *s, struct strbuf *out, const char *path,
                                size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *slash = memchr(path + at, '/', len - at);
        size_t n = slash ? (size_t)(slash - path) - at : len - at;
        if (slash)
            scrub_word(s, out, path + at, n, SCRUB_FOLDER);
        else
            scrub_file(s, out, path + at, n);
        strbuf_puts(out, slash ? "/" : "");
        at += n + (slash != NULL);
    }
}

static void scrub_frame(struct scrub *s, struct strbuf *out, const char *text,
                        size_t path)
{
    const char *function = strstr(text + path, "): ");
    size_t kept = library_beginning(text, path);
    bool is_public = false;
    strbuf_add(out, text, kept);
    if (kept < path && kept)
        put_rest_of_library(s, out, text + kept, path - kept);
    else if (!kept)
        is_public = put_path(s, out, text, path);
    if (!function || is_public) {
        strbuf_puts(out, text + path);
        return;
    }
    function += 3;
    strbuf_add(out, text + path, (size_t)(function - text) - path);
    scrub_function(s, out, function, strlen(function));
}

static const char module_mark[] = "nn.Module: ";

/* "nn.Module: Encoder_3": the number tells modules of a class apart. */
static void scrub_module(struct scrub *s, struct strbuf *out, const char *text)
{
    const char *class = text + sizeof module_mark - 1, *number = strrchr(class, '_');
    size_t len = number ? (size_t)(number - class) : strlen(class);
    strbuf_puts(out, module_mark);
    if (public_identifier(class, len))
        strbuf_add(out, class, len);
    else
        scrub_word(s, out, class, len, SCRUB_MODULE);
    strbuf_puts(out, class + len);
}

static bool in_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t identifier_length(const char *s)
{
    size_t n = 0;
    while (in_identifier(s[n]))
        n++;
    return n;
}

/* "0x7f12", "128x64x2", "2ul", "3d", "1e6": no name. */
static bool is_number(const char *s, size_t len)
{
    static const char digits[] = "0123456789";
    enum { SUFFIX_MAX = 2 };
    size_t at = strspn(s, digits);
    if (!at)
        return false;
    if (at == 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        return strspn(s + 2, "0123456789abcdefABCDEF") + 2 >= len;
    while (at < len && strchr("xe", s[at]) && isdigit((unsigned char)s[at + 1]))
        at += 1 + strspn(s + at + 1, digits);
    size_t suffix = 0;
    while (at + suffix < len && isalpha((unsigned char)s[at + suffix]))
        suffix++;
    return at + suffix >= len && (suffix <= SUFFIX_MAX || is_word(s + at, suffix, "ull"));
}

/* Up to a blank or a bracket: a path has a slash. */
static size_t path_length(const char *s)
{
    size_t n = strcspn(s, " ,;()<>{}[]\"'`|=");
    if (strspn(s, "0123456789./") >= n)
        return 0;
    return memchr(s, '/', n) || (n > 3 && !memcmp(s + n - 3, ".py", 3)) ? n : 0;
}

static const char nameless[] = "(anonymous namespace)";

static bool boundary_before(const char *text, const char *at)
{
    return at == text || !in_identifier(at[-1]);
}

/* The length of a host's or user's name with - or . that begins here, and replaces it; or
 * 0. A domain behind the name of a host goes with it. */
static size_t scrub_whole(struct scrub *s, struct strbuf *out, const char *text,
                          const char *at)
{
    for (size_t i = 0; i < s->n_whole && boundary_before(text, at); i++) {
        const char *word = names_str(&s->words, s->whole[i]);
        size_t n = strlen(word);
        if (identifier_length(word) == n || strncasecmp(at, word, n) != 0 ||
            in_identifier(at[n]))
            continue;
        scrub_word(s, out, word, n, s->instead[s->whole[i]].label);
        while (at[n] == '.' && in_identifier(at[n + 1]))
            n += 1 + identifier_length(at + n + 1);
        return n;
    }
    return 0;
}

/* at::native::copy: all of it is as public as its first part; of std:: what C++ has. */
void scrub_code(struct scrub *s, struct strbuf *out, const char *text)
{
    size_t frame = frame_path(text), n;
    bool inside = false, in_std = false; /* of a public namespace */
    if (frame) {
        scrub_frame(s, out, text, frame);
        return;
    }
    if (!strncmp(text, module_mark, sizeof module_mark - 1)) {
        scrub_module(s, out, text);
        return;
    }
    if (!strncmp(text, "Memcpy ", 7) || !strncmp(text, "Memset ", 7)) {
        strbuf_puts(out, text);
        return;
    }
    for (const char *at = text; *at; at += n) {
        bool goes_on = at - text >= 2 && at[-1] == ':' && at[-2] == ':';
        if (!strncmp(at, nameless, sizeof nameless - 1)) {
            n = sizeof nameless - 1;
            strbuf_add(out, at, n);
            inside = inside && goes_on;
            continue;
        }
        n = scrub_whole(s, out, text, at);
        if (n)
            continue;
        n = path_length(at);
        if (n && boundary_before(text, at)) {
            scrub_path(s, out, at, n);
            continue;
        }
        n = identifier_length(at);
        if (!n) {
            n = 1;
            strbuf_putc(out, *at);
            continue;
        }
        in_std = goes_on ? in_std : is_word(at, n, "std");
        inside = goes_on ? inside : !strncmp(at + n, "::", 2) && public_namespace(at, n);
        if ((inside && !in_std) || (inside && public_in_std(at, n)) || is_number(at, n) ||
            public_identifier(at, n))
            strbuf_add(out, at, n);
        else
            scrub_word(s, out, at, n, SCRUB_NAME);
    }
}

/* total_loss, RocketNet: no word of a sentence. */
static bool looks_like_code(const char *s, size_t len)
{
    bool found = false;
    for (size_t i = 1; i < len && !found; i++)
        found = s[i] == '_' ||
                (isupper((unsigned char)s[i]) && islower((unsigned char)s[i - 1]));
    return found;
}

/* The length of a quotation that begins here, its marks included; or 0. The apostrophe of
 * "don't" begins none. */
static size_t quoted_length(const char *text, const char *at)
{
    if (!strchr("'\"`", *at) || !boundary_before(text, at))
        return 0;
    for (const char *end = at + 1; *end && *end != '\n'; end++)
        if (*end == *at && !in_identifier(end[1]))
            return (size_t)(end - at) + 1;
    return 0;
}

/* "ValueError: ": what is said behind it is the job's own text. */
static bool is_exception(const char *s, size_t len)
{
    static const char *const endings[] = {"Error", "Exception", "Warning", "Interrupt"};
    bool found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !found; i++) {
        size_t n = strlen(endings[i]);
        found = len >= n && !memcmp(s + len - n, endings[i], n);
    }
    return found && s[len] == ':';
}

static void scrub_code_part(struct scrub *s, struct strbuf *out, const char *text,
                            size_t len)
{
    struct strbuf part;
    strbuf_init(&part);
    strbuf_add(&part, text, len);
    scrub_code(s, out, part.s);
    strbuf_release(&part);
}

void scrub_sentence(struct scrub *s, struct strbuf *out, const char *text)
{
    size_t n;
    for (const char *at = text; *at; at += n) {
        n = scrub_whole(s, out, text, at);
        if (n)
            continue;
        n = quoted_length(text, at);
        if (n) {
            strbuf_putc(out, *at);
            scrub_code_part(s, out, at + 1, n - 2);
            strbuf_putc(out, *at);
            continue;
        }
        n = identifier_length(at);
        if (n && is_exception(at, n) && boundary_before(text, at)) {
            n = strcspn(at, "\n");
            scrub_code_part(s, out, at, n);
            continue;
        }
        n = path_length(at);
        if (n && strspn(at, "./") < n && (*at == '/' || *at == '.' || n > 3)) {
            scrub_path(s, out, at, n);
            continue;
        }
        n = identifier_length(at);
        if (!n) {
            n = 1;
            strbuf_putc(out, *at);
        } else if (!public_identifier(at, n) &&
                   (names_find(&s->words, at, n) >= 0 || looks_like_code(at, n)))
            scrub_word(s, out, at, n, SCRUB_NAME);
        else
            strbuf_add(out, at, n);
    }
}
