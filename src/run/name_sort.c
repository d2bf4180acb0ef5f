#include "run/name_sort.h"

#include <stdbool.h>
#include <string.h>

/* Frames of the Python library are nobody's own line; files of it stand without folder.
 */
static const char *const library_files[] = {
    "abc",         "codecs",      "contextlib", "copy",
    "copyreg",     "dataclasses", "enum",       "functools",
    "genericpath", "glob",        "heapq",      "inspect",
    "numbers",     "os",          "pickle",     "posixpath",
    "queue",       "random",      "re",         "runpy",
    "selectors",   "shutil",      "signal",     "socket",
    "statistics",  "string",      "subprocess", "tempfile",
    "threading",   "traceback",   "types",      "typing",
    "uuid",        "warnings",    "weakref",    "_collections_abc",
    "_weakrefset",
};

static const char *const library_folders[] = {
    "asyncio/", "collections/",     "concurrent/", "ctypes/",   "email/", "encodings/",
    "http/",    "importlib/",       "json/",       "logging/",  "torch/", "torchgen/",
    "urllib/",  "multiprocessing/", "functorch/",  "unittest/",
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static bool begins_with(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len >= n && !memcmp(s, word, n);
}

static bool ends_with(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len >= n && !memcmp(s + len - n, word, n);
}

static bool holds(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++)
        if (s[i] == word[0] && !memcmp(s + i, word, n))
            return true;
    return false;
}

static bool is_input(const char *s, size_t len)
{
    return begins_with(s, len, "enumerate(DataLoader)") ||
           holds(s, len, "dataloader_next") || /* Lightning */
           (holds(s, len, "dataloader.py(") && ends_with(s, len, "): __next__"));
}

/* The length of the path in "path.py(12): function", or 0 where it is no such frame. */
static size_t path_length(const char *s, size_t len)
{
    for (size_t i = 0; i + 4 < len; i++)
        if (!memcmp(s + i, ".py(", 4))
            return s[i + 4] >= '0' && s[i + 4] <= '9' ? i : 0;
    return 0;
}

/* path is without ".py". */
static bool is_library(const char *path, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(library_files); i++)
        if (strlen(library_files[i]) == len && !memcmp(path, library_files[i], len))
            return true;
    for (size_t i = 0; i < COUNT_OF(library_folders); i++)
        if (begins_with(path, len, library_folders[i]))
            return true;
    if (holds(path, len, "/torch/") || holds(path, len, "/gait_hook/"))
        return true;
    return holds(path, len, "/lib/python") && !holds(path, len, "-packages/");
}

static bool is_user_line(const char *s, size_t len)
{
    size_t path = path_length(s, len);
    return path && s[0] != '<' && !is_library(s, path);
}

enum name_sort name_sort(const char *name, size_t len)
{
    if (begins_with(name, len, "nn.Module: "))
        return NAME_SORT_MODULE;
    if (is_input(name, len))
        return NAME_SORT_INPUT;
    if (begins_with(name, len, "autograd::engine::evaluate_function"))
        return NAME_SORT_BACKWARD;
    if (begins_with(name, len, "Optimizer.step#"))
        return NAME_SORT_OPTIMIZER;
    return is_user_line(name, len) ? NAME_SORT_LINE : NAME_SORT_OTHER;
}
