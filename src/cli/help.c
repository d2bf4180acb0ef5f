#include "cli/help.h"

#include "base/json_writer.h"

#include "cli/args.h"
#include "config/config.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMN_MIN = 26 };

/* "  -n, --tokens N": returns its width on the screen. */
static int put_names(struct strbuf *out, const struct option *o)
{
    size_t start = out->len;
    if (o->letter)
        strbuf_printf(out, "  -%c, --%s", o->letter, o->name);
    else
        strbuf_printf(out, "      --%s", o->name);
    if (o->value)
        strbuf_printf(out, " %s", o->value);
    return utf8_letters(out->s + start);
}

/* Where the explanations begin, so that all begin there. */
static int option_column(const struct command *c)
{
    int column = OPTION_COLUMN_MIN;
    struct strbuf names;
    strbuf_init(&names);
    for (size_t i = 0; i < c->n_options; i++) {
        int width = put_names(&names, &c->options[i]);
        column = width + 2 > column ? width + 2 : column;
    }
    strbuf_release(&names);
    return column;
}

static void put_option(struct strbuf *out, const struct option *o, int column)
{
    int width = put_names(out, o);
    strbuf_repeat(out, " ", column - width);
    strbuf_printf(out, "%s\n", o->help);
}

static void put_options(struct strbuf *out, const struct command *c)
{
    int column = option_column(c);
    strbuf_puts(out, "\noptions:\n");
    for (size_t i = 0; i < c->n_options; i++)
        put_option(out, &c->options[i], column);
    for (size_t i = 0; i < SHARED_OPTIONS; i++)
        put_option(out, &shared_options[i], column);
}

void help_print(const struct command *c)
{
    struct strbuf out;
    strbuf_init(&out);
    strbuf_printf(&out, "gait %s: %s\n\nusage: ", c->name, c->summary);
    usage_line(&out, c);
    strbuf_puts(&out, "\n");
    if (c->about)
        strbuf_printf(&out, "\n%s\n", c->about);
    put_options(&out, c);
    if (c->takes_settings) {
        strbuf_puts(&out, "\nsettings, with [defaults]; a flag wins over the file:\n");
        config_print_help(&out);
    }
    strbuf_printf(&out, "\nexample: gait %s\n", c->example);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

void help_print_all(void)
{
    puts("gait: " GAIT_SUMMARY "\n\nusage: gait COMMAND …\n");
    for (size_t i = 0; command_list[i]; i++)
        if (!command_list[i]->hidden)
            printf("  %-10s%s\n", command_list[i]->name, command_list[i]->summary);
    puts("\ngait help COMMAND says more; for example: gait help analyze. gait help PAGE "
         "prints a\n"
         "page that a message names: gait help docs/findings.md, gait help input-bound");
}
