/* The arguments of a call, checked and made into words: no shell takes them apart, values
 * are attached to their options, and operands stand behind "--". */
#include "mcp/mcp_tool.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <math.h>
#include <string.h>

/* --- checks --- */

static bool is_given(const struct json *j)
{
    return j && j->kind != JSON_KIND_NULL;
}

/* Words of the command line must not hold NUL bytes. */
static bool is_word(const struct json *j)
{
    return j->kind == JSON_KIND_STRING && strlen(j->text) == j->len;
}

static bool is_whole(const struct json *j)
{
    return j->kind == JSON_KIND_NUMBER && !j->text[strspn(j->text, "-0123456789")];
}

static bool is_number(const struct mcp_argument *a, const struct json *j)
{
    double v = json_double_or(j, NAN);
    return v >= a->min && v <= a->max && (a->type == MCP_NUMBER || is_whole(j));
}

static bool is_list_of_words(const struct json *j)
{
    if (j->kind != JSON_KIND_ARRAY || !j->n)
        return false;
    for (const struct json *c = j->child; c; c = c->next)
        if (!is_word(c))
            return false;
    return true;
}

static enum status check_value(const struct mcp_tool *tool, const struct mcp_argument *a,
                               const struct json *j, struct err *err)
{
    switch (a->type) {
    case MCP_FLAG:
        return j->kind == JSON_KIND_BOOL
                   ? STATUS_OK
                   : err_set(err, STATUS_USAGE, "%s: %s is true or false", tool->name,
                             a->name);
    case MCP_WORD:
        return is_word(j) || is_whole(j)
                   ? STATUS_OK
                   : err_set(err, STATUS_USAGE, "%s: %s is a string: %s", tool->name,
                             a->name, a->help);
    case MCP_WORDS:
        return is_list_of_words(j) ? STATUS_OK
                                   : err_set(err, STATUS_USAGE,
                                             "%s: %s is a list of strings, [\"…\"]: %s",
                                             tool->name, a->name, a->help);
    case MCP_INTEGER:
    case MCP_NUMBER:
        break;
    }
    return is_number(a, j)
               ? STATUS_OK
               : err_set(err, STATUS_USAGE, "%s: %s is %s from %g to %g", tool->name,
                         a->name, a->type == MCP_NUMBER ? "a number" : "a whole number",
                         a->min, a->max);
}

/* To a command @FILE is a list of files, and what it holds would stand in errors. A client
 * has lists of its own. The words of a job and of the server ("") are no such operands. */
static enum status refuse_list_file(const struct mcp_tool *tool,
                                    const struct mcp_argument *a, const struct json *j,
                                    struct err *err)
{
    bool is_for_command = !tool->prints_own && !(a->option && !*a->option);
    const struct json *one = j->kind == JSON_KIND_ARRAY ? j->child : j;
    for (; one && is_for_command; one = one == j ? NULL : one->next)
        if (one->kind == JSON_KIND_STRING && *one->text == '@')
            return err_set(err, STATUS_USAGE,
                           "%s: %s has \"%.160s\": files that list files are not read "
                           "here; name the files, one that begins with @ as ./@",
                           tool->name, a->name, one->text);
    return STATUS_OK;
}

static enum status check_reading(const struct mcp_tool *tool,
                                 const struct mcp_argument *a, const struct json *j,
                                 struct err *err)
{
    if (a->deed == MCP_RUNS_PROGRAMS)
        return err_set(err, STATUS_USAGE,
                       "this server only reads (--read-only): %s has no %s here",
                       tool->name, a->name);
    if (a->deed == MCP_TRAINS_CONFIGS && is_word(j) && path_is_config(j->text))
        return err_set(err, STATUS_USAGE,
                       "this server only reads (--read-only): %s of configs trains "
                       "them; give it runs or traces",
                       tool->name);
    return STATUS_OK;
}

static enum status unknown_argument(const struct mcp_tool *tool, const char *name,
                                    struct err *err)
{
    const char *names[32];
    size_t n = 0;
    for (; n < mcp_argument_count(tool) && n < sizeof names / sizeof *names; n++)
        names[n] = mcp_argument_at(tool, n)->name;
    const char *near = nearest_name(name, names, n);
    return err_set(err, STATUS_USAGE,
                   "%s has no argument \"%.80s\"%s%s; tools/list has its "
                   "inputSchema",
                   tool->name, name, near ? ", did you mean " : "", near ? near : "");
}

static enum status check_names(const struct mcp_tool *tool, const struct json *arguments,
                               struct err *err)
{
    for (const struct json *j = arguments ? arguments->child : NULL; j; j = j->next) {
        size_t i = 0;
        while (i < mcp_argument_count(tool) &&
               (strlen(j->key) != j->key_len ||
                strcmp(mcp_argument_at(tool, i)->name, j->key) != 0))
            i++;
        if (i == mcp_argument_count(tool))
            return unknown_argument(tool, j->key, err);
    }
    return STATUS_OK;
}

static enum status check_arguments(const struct mcp_tool *tool,
                                   const struct json *arguments, bool read_only,
                                   struct err *err)
{
    enum status st = check_names(tool, arguments, err);
    for (size_t i = 0; i < mcp_argument_count(tool) && !st; i++) {
        const struct mcp_argument *a = mcp_argument_at(tool, i);
        const struct json *j = json_get(arguments, a->name);
        if (!is_given(j) && a->required)
            st = err_set(err, STATUS_USAGE, "%s needs %s: %s", tool->name, a->name,
                         a->help);
        else if (is_given(j) && read_only)
            st = check_reading(tool, a, j, err);
        if (is_given(j) && !st)
            st = check_value(tool, a, j, err);
        if (is_given(j) && !st)
            st = refuse_list_file(tool, a, j, err);
    }
    return st;
}

/* --- the command line --- */

static void add_word(struct mcp_line *l, const char *option, const char *value)
{
    struct strbuf word;
    strbuf_init(&word);
    strbuf_puts(&word, option ? option : "");
    if (option && value)
        strbuf_putc(&word, '='); /* a value may begin with a dash */
    strbuf_puts(&word, value ? value : "");
    vec_grow(l->word, l->cap, l->n + 1);
    l->word[l->n++] = mem_strdup(word.s);
    strbuf_release(&word);
}

static void add_option(struct mcp_line *l, const struct mcp_argument *a,
                       const struct json *j)
{
    if (a->type != MCP_FLAG)
        add_word(l, a->option, j->text);
    else if (j->truth)
        add_word(l, a->option, NULL);
}

static void add_operand(struct mcp_line *l, const struct json *j)
{
    if (j->kind != JSON_KIND_ARRAY)
        add_word(l, NULL, j->text);
    else
        for (const struct json *c = j->child; c; c = c->next)
            add_word(l, NULL, c->text);
}

static char *copy_text(const struct json *arguments, const char *name)
{
    const struct json *j = json_get(arguments, name);
    return is_given(j) ? mem_strdup(j->text) : NULL;
}

static void make(struct mcp_line *l, const struct mcp_tool *tool,
                 const struct json *arguments)
{
    l->full = json_bool_or(json_get(arguments, "full"), false);
    l->folder = copy_text(arguments, "folder");
    l->output = tool->prints_own ? copy_text(arguments, "output") : NULL;
    l->timeout_s = json_double_or(json_get(arguments, "timeout_s"), tool->timeout_s);
    add_word(l, NULL, tool->name);
    add_word(l, "--quiet", NULL);
    if (!tool->prints_own)
        add_word(l, l->full ? "--json" : "--brief", NULL);
    for (size_t i = 0; i < tool->n; i++) {
        const struct json *j = json_get(arguments, tool->argument[i].name);
        if (is_given(j) && tool->argument[i].option)
            add_option(l, &tool->argument[i], j);
    }
    add_word(l, "--", NULL);
    for (size_t i = 0; i < tool->n; i++) {
        const struct json *j = json_get(arguments, tool->argument[i].name);
        if (is_given(j) && !tool->argument[i].option)
            add_operand(l, j);
    }
}

enum status mcp_line_make(struct mcp_line *out, const struct mcp_tool *tool,
                          const struct json *arguments, bool read_only, struct err *err)
{
    *out = (struct mcp_line){0};
    enum status st = check_arguments(tool, arguments, read_only, err);
    if (!st)
        make(out, tool, arguments);
    return st;
}

void mcp_line_release(struct mcp_line *l)
{
    for (size_t i = 0; i < l->n; i++)
        mem_free(l->word[i]);
    mem_free(l->word);
    mem_free(l->folder);
    mem_free(l->output);
    *l = (struct mcp_line){0};
}
