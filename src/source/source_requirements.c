/*
 * Which PyTorch a project asks for, by the files that say so: "torch==1.4.0" in
 * requirements.txt, "- pytorch=1.7" in environment.yml, "torch>=2.1" in pyproject.toml.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_requirements.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/';
}

/* What stands behind the name: "==1.4.0", ">=2". A lower bound below 2 says nothing. */
static enum torch_age age_of_version(const char *at)
{
    at += strspn(at, " \t\"'");
    size_t n = strspn(at, "=<>~!");
    const char *digits = at + n + strspn(at + n, " \t\"'v^");
    if (!n || !isdigit((unsigned char)*digits) || *at == '!')
        return TORCH_ANY;
    bool below_2 =
        (*digits == '0' || *digits == '1') && !isdigit((unsigned char)digits[1]);
    if (*at == '<')
        return below_2 ||
                       (digits[0] == '2' && n == 1 && !strchr(".0123456789", digits[1]))
                   ? TORCH_OLD
                   : TORCH_ANY;
    if (below_2)
        return *at == '>' ? TORCH_ANY : TORCH_OLD;
    return TORCH_RECENT;
}

static enum torch_age age_in_text(const char *text)
{
    static const char *const names[] = {"pytorch", "torch"};
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(names[i]);
        for (const char *at = text; (at = strstr(at, names[i])); at += len) {
            if (at > text && is_name_byte(at[-1]))
                continue;
            enum torch_age age = age_of_version(at + len);
            if (age != TORCH_ANY)
                return age;
        }
    }
    return TORCH_ANY;
}

static enum torch_age age_in_file(const char *folder, const char *name)
{
    enum { BYTES_MAX = 1 << 16 };
    struct err err = ERR_INIT;
    char *path = path_join(folder, name), *text = NULL;
    size_t len = 0;
    enum torch_age age = TORCH_ANY;
    if (file_exists(path) && !file_is_dir(path) &&
        !file_read(&text, &len, path, BYTES_MAX, &err))
        age = age_in_text(text);
    mem_free(text);
    mem_free(path);
    return age;
}

enum torch_age requirements_torch_age(const char *folder)
{
    static const char *const files[] = {"requirements.txt", "environment.yml",
                                        "environment.yaml", "pyproject.toml",
                                        "setup.py",         "setup.cfg"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        enum torch_age age = age_in_file(folder, files[i]);
        if (age != TORCH_ANY)
            return age;
    }
    return TORCH_ANY;
}
#endif
