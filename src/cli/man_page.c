#include "cli/man_page.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/args.h"
#include "cli/help.h"
#include "config/config.h"
#include "config/number_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a user can set. */
static const struct {
    const char *name, *what;
} environment[] = {
    {"GAIT_DATA", "where named data sets and GPT-2's vocabulary lie; data_dir and "
                  "--data-dir win over it"},
    {"GAIT_HOOK", "the folder of the Python files that gait record puts into a job, "
                  "instead of those installed with gait"},
    {"GAIT_ISA", "leave out the kernels before this one of: amx, avx512, avx2, plain"},
    {"HOME", "its .cache/gait is used where XDG_CACHE_HOME is not set"},
    {"NO_COLOR", "where set, no colour on a terminal"},
    {"TMPDIR", "where temporary files go, instead of /tmp"},
    {"XDG_CACHE_HOME", "gait/ in it keeps what was measured of this machine"},
    {"XDG_RUNTIME_DIR", "gait/ in it has what running trainings say to gait top"},
};

static const struct {
    enum status status;
    const char *what;
} exit_codes[] = {
    {STATUS_OK, "good"},
    {STATUS_FAILED, "a gate failed, or something was found"},
    {STATUS_USAGE, "the command line or a config is wrong"},
    {STATUS_INPUT, "a file is missing or damaged"},
    {STATUS_ENVIRONMENT, "memory, disk, a permission, a library"},
};

/* --- text as roff --- */

static void put_letter(struct strbuf *out, char c)
{
    /* Signs that roff would replace by ones of typography: a reader copies commands. */
    static const char *const signs[128] = {
        ['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq", ['`'] = "\\(ga",
        ['^'] = "\\(ha", ['~'] = "\\(ti", ['"'] = "\\(dq"};
    if ((unsigned char)c < 128 && signs[(unsigned char)c])
        strbuf_puts(out, signs[(unsigned char)c]);
    else
        strbuf_putc(out, c);
}

static void put_roff_part(struct strbuf *out, const char *s, size_t len)
{
    static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    for (size_t i = 0; i < len;) {
        int seq = utf8_sequence_len(s + i, len - i);
        if (seq < 1)
            BUG("a help text is not UTF-8: %s", s);
        if (seq == 1) {
            put_letter(out, s[i++]);
            continue;
        }
        unsigned point = (unsigned char)s[i] & lead_mask[seq];
        for (int k = 1; k < seq; k++)
            point = point << 6 | ((unsigned char)s[i + (size_t)k] & 0x3f);
        strbuf_printf(out, "\\[u%04X]", point);
        i += (size_t)seq;
    }
}

static void put_roff(struct strbuf *out, const char *s)
{
    put_roff_part(out, s, strlen(s));
}

/* A line of text: one that begins with a dot is no request. */
static void put_line(struct strbuf *out, const char *s, size_t len)
{
    if (len && *s == '.')
        strbuf_puts(out, "\\&");
    put_roff_part(out, s, len);
    strbuf_putc(out, '\n');
}

/* Explanations of several lines are indented for the terminal: not here. */
static void put_paragraph(struct strbuf *out, const char *s)
{
    while (*s) {
        size_t len = strcspn(s, "\n");
        put_line(out, s, len);
        s += len;
        s += strspn(s, "\n ");
    }
}

/* Indented lines stay as they are; others are filled; an empty one parts paragraphs. */
static void put_about(struct strbuf *out, const char *about)
{
    bool as_is = false, parted = false;
    for (const char *s = about; *s;) {
        size_t len = strcspn(s, "\n");
        bool indented = *s == ' ';
        if (as_is && !indented)
            strbuf_puts(out, ".EE\n");
        if (len && s > about && (parted || indented != as_is))
            strbuf_puts(out, ".PP\n");
        if (indented && !as_is)
            strbuf_puts(out, ".EX\n");
        if (len)
            put_line(out, s, len);
        parted = !len;
        as_is = indented;
        s += len + (s[len] == '\n');
    }
    if (as_is)
        strbuf_puts(out, ".EE\n");
}

/* --- parts of pages --- */

static void put_date(struct strbuf *out)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    struct tm day;
    if (!epoch || !number_parse_int(&seconds, epoch))
        return;
    time_t at = (time_t)seconds;
    char text[32];
    if (gmtime_r(&at, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day))
        strbuf_puts(out, text);
}

static void put_head(struct strbuf *out, const char *name, const char *summary)
{
    strbuf_puts(out, ".\\\" Made by the program, from the tables of its help.\n.TH \"");
    for (const char *p = name; *p; p++)
        put_letter(out, (char)toupper((unsigned char)*p));
    strbuf_puts(out, "\" 1 \"");
    put_date(out);
    strbuf_puts(out, "\" \"gait " GAIT_VERSION "\" \"Gait\"\n.SH NAME\n");
    put_roff(out, name);
    strbuf_puts(out, " \\- ");
    put_roff(out, summary);
    strbuf_putc(out, '\n');
}

static void put_name_and_value(struct strbuf *out, const char *name, const char *value)
{
    strbuf_puts(out, "\\fB\\-\\-");
    put_roff(out, name);
    strbuf_puts(out, "\\fR");
    if (!value)
        return;
    strbuf_puts(out, " \\fI");
    put_roff(out, value);
    strbuf_puts(out, "\\fR");
}

static void put_option(struct strbuf *out, const struct option *o)
{
    strbuf_puts(out, ".TP\n");
    if (o->letter) {
        strbuf_puts(out, "\\fB\\-");
        put_letter(out, o->letter);
        strbuf_puts(out, "\\fR, ");
    }
    put_name_and_value(out, o->name, o->value);
    strbuf_putc(out, '\n');
    put_paragraph(out, o->help);
}

static void put_settings(struct strbuf *out)
{
    const char *section = "";
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(out, ".SH SETTINGS\nKeys of a config, with their defaults in brackets; a "
                     "flag wins over the file.\n");
    for (size_t i = 0; i < config_count(); i++) {
        struct config_flag flag = config_flag(i);
        if (strcmp(flag.section, section) != 0)
            strbuf_printf(out, ".SS %s\n", flag.section);
        section = flag.section;
        strbuf_puts(out, ".TP\n");
        strbuf_clear(&text);
        config_put_dashed(&text, flag.key);
        put_name_and_value(out, text.s, flag.value);
        strbuf_clear(&text);
        strbuf_printf(&text, "%s [", flag.help);
        config_put_default(&text, i);
        strbuf_puts(&text, "]");
        strbuf_putc(out, '\n');
        put_paragraph(out, text.s);
    }
    strbuf_release(&text);
}

static void put_example(struct strbuf *out, const char *example)
{
    strbuf_puts(out, ".SH EXAMPLES\n.EX\ngait ");
    put_roff(out, example);
    strbuf_puts(out, "\n.EE\n");
}

/* --- pages --- */

static void put_command_page(struct strbuf *out, const struct command *c)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_printf(&text, "gait-%s", c->name);
    put_head(out, text.s, c->summary);
    strbuf_clear(&text);
    usage_line(&text, c);
    strbuf_puts(out, ".SH SYNOPSIS\n");
    put_paragraph(out, text.s);
    if (c->about) {
        strbuf_puts(out, ".SH DESCRIPTION\n");
        put_about(out, c->about);
    }
    strbuf_puts(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < c->n_options; i++)
        put_option(out, &c->options[i]);
    for (size_t i = 0; i < SHARED_OPTIONS; i++)
        put_option(out, &shared_options[i]);
    if (c->takes_settings)
        put_settings(out);
    put_example(out, c->example);
    strbuf_puts(out, ".SH SEE ALSO\n.BR gait (1)\n");
    strbuf_release(&text);
}

static void put_main_page(struct strbuf *out)
{
    put_head(out, "gait", GAIT_SUMMARY);
    strbuf_puts(out,
                ".SH SYNOPSIS\n.B gait\n.I COMMAND\n\\[u2026]\n"
                ".SH DESCRIPTION\n"
                "Answers for PyTorch jobs, from recordings and profiler traces, and for "
                "its own trainer.\n"
                "Results go to standard output, progress and errors to standard error.\n"
                ".SH COMMANDS\n");
    for (size_t i = 0; command_list[i]; i++) {
        if (command_list[i]->hidden)
            continue;
        strbuf_printf(out, ".TP\n.BR gait\\-%s (1)\n", command_list[i]->name);
        put_paragraph(out, command_list[i]->summary);
    }
    strbuf_puts(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++) {
        strbuf_printf(out, ".TP\n%d\n", (int)exit_codes[i].status);
        put_paragraph(out, exit_codes[i].what);
    }
    strbuf_puts(out,
                ".PP\n.BR gait\\-lint (1)\nends with 2 for bad input too, as linters "
                "do;\n.BR gait\\-record (1)\nas the job does.\n.SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        strbuf_printf(out, ".TP\n.B %s\n", environment[i].name);
        put_paragraph(out, environment[i].what);
    }
    put_example(out, "analyze trace.json.gz");
}

static enum status write_page(const char *folder, const struct command *c,
                              struct err *err)
{
    struct strbuf page, path;
    strbuf_init(&page);
    strbuf_init(&path);
    if (c)
        put_command_page(&page, c);
    else
        put_main_page(&page);
    strbuf_printf(&path, "%s/gait%s%s.1", folder, c ? "-" : "", c ? c->name : "");
    enum status st = file_write(path.s, page.s, page.len, err);
    strbuf_release(&page);
    strbuf_release(&path);
    return st;
}

enum status man_pages_write(const char *folder, struct err *err)
{
    enum status st = file_make_folders(folder, err);
    if (!st)
        st = write_page(folder, NULL, err);
    for (size_t i = 0; !st && command_list[i]; i++)
        if (!command_list[i]->hidden)
            st = write_page(folder, command_list[i], err);
    return st;
}
