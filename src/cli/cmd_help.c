#include "base/arena.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/path.h"
#include "cli/args.h"
#include "cli/help.h"
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

static const char pages_word[] = "pages"; /* the list of them */

static void print_page(const struct page *p)
{
    fwrite(p->text, 1, (size_t)(p->end - p->text), stdout);
}

static void print_page_list(void)
{
    for (const struct page *p = page_list; p->path; p++)
        puts(p->path);
}

/* What could have been meant: commands, and pages by name and by path. */
struct candidates {
    const char **name;
    size_t n, cap;
    struct arena text;
};

static void add_candidate(struct candidates *c, const char *name)
{
    vec_grow(c->name, c->cap, c->n + 1);
    c->name[c->n++] = name;
}

static enum status no_such_help(const char *word, struct err *err)
{
    struct candidates c = {0};
    arena_init(&c.text);
    for (size_t i = 0; command_list[i]; i++)
        if (!command_list[i]->hidden)
            add_candidate(&c, command_list[i]->name);
    for (const struct page *p = page_list; p->path; p++) {
        const char *name = path_name(p->path);
        add_candidate(&c, p->path);
        add_candidate(&c, arena_strndup(&c.text, name, strcspn(name, ".")));
    }
    const char *near = nearest_name(word, c.name, c.n);
    if (near)
        err_set(err, STATUS_USAGE, "there is no command or page \"%s\"; did you mean %s?",
                word, near);
    else
        err_set(err, STATUS_USAGE,
                "there is no command or page \"%s\"; `gait help` and `gait help %s` "
                "list them",
                word, pages_word);
    mem_free(c.name);
    arena_release(&c.text);
    return err->status;
}

static enum status cmd_help(const struct args *args, struct err *err)
{
    const char *word = args->n_operands ? args->operands[0] : NULL;
    const struct command *c = word ? command_find(word, NULL) : NULL;
    const struct page *page = word ? page_find(word) : NULL;
    if (!word)
        help_print_all();
    else if (c)
        help_print(c);
    else if (page)
        print_page(page);
    else if (!strcmp(word, pages_word))
        print_page_list();
    else
        return no_such_help(word, err);
    return STATUS_OK;
}

const struct command command_help = {
    .name = "help",
    .run = cmd_help,
    .summary = "this list, the help of a command, or a page that a message names",
    .operands = "[COMMAND|PAGE]",
    .max_operands = 1,
    .about =
        "A page is named by its path, docs/findings.md, by its last part, findings, or\n"
        "by the rule that it is about: input-bound, GT101. `gait help pages` lists them.",
    .example = "help analyze",
};
