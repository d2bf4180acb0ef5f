#include "cli/completion.h"

#include "base/status.h"
#include "cli/args.h"
#include "cli/page.h"
#include "cli/placeholder.h"
#include "config/config.h"
#include "lint/lint_rule.h"
#include "rules/rule.h"

#include <string.h>

/* Where on its command line the word stands that is being typed. */
struct cursor {
    const struct command *command;
    const char *value;    /* the usage of the value that it is; NULL: it is none */
    const char *action;   /* the first operand before it; NULL: there is none */
    size_t n_operands;    /* before it */
    size_t command_begin; /* where the operands behind "--" begin; 0: no "--" came */
};

/* --- lines of the answer --- */

static void put_word(struct strbuf *out, const char *word, size_t len, const char *help)
{
    strbuf_add(out, word, len);
    strbuf_putc(out, '\t');
    while (*help) { /* explanations of several lines are one here */
        size_t part = strcspn(help, " \n"), gap = strspn(help + part, " \n");
        strbuf_add(out, help, part);
        if (help[part + gap])
            strbuf_puts(out, gap ? " " : "");
        help += part + gap;
    }
    strbuf_putc(out, '\n');
}

static void put_words(struct strbuf *out, const char *words)
{
    for (const char *w = words; *w; w += *w == '|') {
        size_t len = strcspn(w, "|");
        put_word(out, w, len, "");
        w += len;
    }
}

static void put_flag(struct strbuf *out, const char *name, const char *help)
{
    struct strbuf flag;
    strbuf_init(&flag);
    strbuf_puts(&flag, "--");
    config_put_dashed(&flag, name);
    put_word(out, flag.s, flag.len, help);
    strbuf_release(&flag);
}

static void put_commands(struct strbuf *out)
{
    for (size_t i = 0; command_list[i]; i++)
        if (!command_list[i]->hidden)
            put_word(out, command_list[i]->name, strlen(command_list[i]->name),
                     command_list[i]->summary);
}

static void put_names(struct strbuf *out, enum name_list names)
{
    switch (names) {
    case NAMES_NONE:
        break;
    case NAMES_COMMANDS:
        put_commands(out);
        break;
    case NAMES_KEYS:
        for (size_t i = 0; i < config_count(); i++)
            put_word(out, config_key(i), strlen(config_key(i)), config_flag(i).help);
        break;
    case NAMES_PAGES:
        for (const struct page *p = page_list; p->path; p++)
            put_word(out, p->path, strlen(p->path), "");
        break;
    case NAMES_RULES:
        for (size_t i = 0; i < rule_count; i++)
            put_word(out, rule_table[i].name, strlen(rule_table[i].name),
                     rule_table[i].title);
        break;
    case NAMES_LINT_RULES:
        for (size_t i = 0; i < lint_rule_count; i++)
            put_word(out, lint_rules[i].code, strlen(lint_rules[i].code),
                     lint_rules[i].title);
        break;
    }
}

/* All usage words of one place: what files they can be is one line of the answer, since
 * a shell shows other files where there is none of those that it was told of. */
static void put_usage(struct strbuf *out, const struct usage_word *words, size_t n)
{
    struct strbuf endings;
    bool files = false, all_files = false, folders = false;
    strbuf_init(&endings);
    for (size_t i = 0; i < n; i++) {
        const struct placeholder *p = placeholder_find(&words[i]);
        if (!p && !usage_is_literal(&words[i]))
            BUG("placeholder.c has no %.*s", (int)words[i].len, words[i].s);
        if (!p) {
            put_word(out, words[i].s, words[i].len, "");
            continue;
        }
        if (p->words)
            put_words(out, p->words);
        put_names(out, p->names);
        if (p->endings && *p->endings)
            strbuf_printf(&endings, " %s", p->endings);
        files = files || p->endings;
        all_files = all_files || (p->endings && !*p->endings);
        folders = folders || p->folder;
    }
    if (files)
        strbuf_printf(out, ":files%s\n", all_files ? "" : endings.s);
    else if (folders)
        strbuf_puts(out, ":folders\n");
    strbuf_release(&endings);
}

/* --- options --- */

/* "prepare, show: the result as JSON" is of two of the command's actions; an explanation
 * that begins with anything else is of all. */
static bool is_of_action(const struct option *o, const struct command *c,
                         const char *action)
{
    struct usage_word words[USAGE_WORDS_MAX];
    size_t n = usage_words(words, c->operands), len = strcspn(o->help, ":");
    bool some = false;
    if (!action || !o->help[len])
        return true;
    for (const char *s = o->help; s < o->help + len; s += strspn(s, ", ")) {
        size_t part = strcspn(s, ",: ");
        for (size_t i = 0; i < n; i++)
            if (words[i].len == part && !memcmp(words[i].s, s, part)) {
                if (part == strlen(action) && !memcmp(s, action, part))
                    return true;
                some = true;
            }
        s += part;
    }
    return !some;
}

static void put_options(struct strbuf *out, const struct cursor *at)
{
    const struct command *c = at->command;
    for (size_t i = 0; i < c->n_options; i++)
        if (is_of_action(&c->options[i], c, at->action))
            put_flag(out, c->options[i].name, c->options[i].help);
    for (size_t i = 0; i < SHARED_OPTIONS; i++)
        put_flag(out, shared_options[i].name, shared_options[i].help);
    for (size_t i = 0; c->takes_settings && i < config_count(); i++)
        put_flag(out, config_key(i), config_flag(i).help);
}

/* The usage of what an option wants behind it; NULL: nothing. */
static const char *value_of(const struct command *c, const char *word)
{
    if (word[1] != '-') {
        const struct option *o = word[2] ? NULL : command_letter(c, word[1]);
        return o ? o->value : NULL;
    }
    struct config_flag flag;
    const struct option *o = command_option(c, word + 2, strlen(word + 2));
    if (o)
        return o->value;
    return c->takes_settings && config_flag_find(&flag, word + 2) ? flag.value : NULL;
}

/* --- where the cursor is --- */

/* The same reading of words as args_parse(), which refuses what is not complete. */
static struct cursor cursor_at(const struct command *c, const char *const *words,
                               size_t begin, size_t end)
{
    struct cursor at = {.command = c};
    for (size_t i = begin; i < end; i++) {
        const char *word = words[i];
        if (!at.command_begin && !strcmp(word, "--")) {
            at.command_begin = i + 1;
        } else if (!at.command_begin && word[0] == '-' && word[1]) {
            const char *value = value_of(c, word);
            if (value && ++i == end)
                at.value = value;
        } else {
            at.action = at.action ? at.action : word;
            at.n_operands++;
        }
    }
    return at;
}

static void put_operands(struct strbuf *out, const struct cursor *at)
{
    const struct command *c = at->command;
    struct usage_word words[USAGE_WORDS_MAX];
    size_t n = usage_words(words, c->operands);
    if (!n || at->n_operands >= c->max_operands)
        return;
    bool has_actions = !placeholder_find(&words[0]) && usage_is_literal(&words[0]);
    size_t n_actions = 0;
    while (has_actions && n_actions < n && !words[n_actions].place)
        n_actions++;
    if (n_actions && !at->n_operands)
        put_usage(out, words, n_actions);
    else
        put_usage(out, words + n_actions, n - n_actions);
}

static void put_next(struct strbuf *out, const struct cursor *at, const char *typed)
{
    bool runs_command = !strncmp(at->command->operands, "-- ", 3);
    if (at->value) {
        struct usage_word words[USAGE_WORDS_MAX];
        size_t n = usage_words(words, at->value);
        put_usage(out, words, n);
    } else if (runs_command && at->command_begin) {
        strbuf_printf(out, ":command %zu\n", at->command_begin);
    } else if (typed[0] == '-' && !at->command_begin) {
        put_options(out, at);
    } else if (runs_command) {
        put_word(out, "--", 2, "the command to record follows");
    } else {
        put_operands(out, at);
    }
}

/* --- the whole --- */

static bool is_path(const char *word)
{
    return word[0] != '-' && strpbrk(word, "/.~");
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (!strcmp(command_list[i]->name, name) && !command_list[i]->hidden)
            return command_list[i];
    return is_path(name) ? &command_analyze : NULL; /* gait TRACE is gait analyze TRACE */
}

void completion_print(struct strbuf *out, const char *const *words, size_t n)
{
    if (!n)
        return;
    const char *typed = words[n - 1];
    if (n == 1 && typed[0] == '-') {
        put_flag(out, "help", command_help.summary);
        put_flag(out, "version", command_version.summary);
        return;
    }
    if (n == 1 && !is_path(typed)) {
        put_commands(out);
        return;
    }
    const struct command *c = find(words[0]);
    if (!c)
        return;
    struct cursor at = cursor_at(c, words, is_path(words[0]) ? 0 : 1, n - 1);
    put_next(out, &at, typed);
}
