#include "anonymous/scrub.h"

#include "anonymous/public_words.h"
#include "base/mem.h"
#include "run/name_sort.h"

#include <ctype.h>
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
    }
    strbuf_printf(out, "%s%d", label_text[s->instead[id].label], s->instead[id].number);
    if (label != SCRUB_HOST && label != SCRUB_FOLDER && label != SCRUB_FILE)
        add_telling_words(out, word, len);
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

void scrub_path(struct scrub *s, struct strbuf *out, const char *path, size_t len)
{
    bool installed = true; /* where a package's folder may begin */
    for (size_t at = 0; at < len;) {
        const char *part = path + at, *slash = memchr(part, '/', len - at);
        size_t n = slash ? (size_t)(slash - part) : len - at;
        if (slash && installed && public_package(part, n)) {
            strbuf_add(out, part, len - at); /* known to everybody from here on */
            return;
        }
        installed = n > 9 && !memcmp(part + n - 9, "-packages", 9);
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
}

/* The length of "path.py" in "path.py(12): function", or 0. */
static size_t frame_path(const char *text)
{
    const char *end = strstr(text, ".py(");
    return end && isdigit((unsigned char)end[4]) ? (size_t)(end - text) + 3 : 0;
}

static void scrub_frame(struct scrub *s, struct strbuf *out, const char *text,
                        size_t path)
{
    const char *function = strstr(text + path, "): ");
    size_t before = out->len;
    scrub_path(s, out, text, path);
    bool is_public = out->len - before == path && !memcmp(out->s + before, text, path);
    if (!function || is_public || name_sort(text, strlen(text)) != NAME_SORT_LINE) {
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

/* "0x7f12", "128x64", "2ul": no name. */
static bool is_number(const char *s, size_t len)
{
    return isdigit((unsigned char)s[0]) &&
           (len <= 4 || strspn(s, "0123456789abcdefxABCDEFul") >= len);
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

/* at::native::copy: all of it is as public as its first part. */
void scrub_code(struct scrub *s, struct strbuf *out, const char *text)
{
    size_t frame = frame_path(text), n;
    bool inside = false; /* of a public namespace */
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
        n = path_length(at);
        if (n && (at == text || !in_identifier(at[-1]))) {
            scrub_path(s, out, at, n);
            continue;
        }
        n = identifier_length(at);
        if (!n) {
            n = 1;
            strbuf_putc(out, *at);
            continue;
        }
        inside = goes_on ? inside : !strncmp(at + n, "::", 2) && public_namespace(at, n);
        if (inside || is_number(at, n) || public_identifier(at, n))
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

void scrub_sentence(struct scrub *s, struct strbuf *out, const char *text)
{
    size_t n;
    for (const char *at = text; *at; at += n) {
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
