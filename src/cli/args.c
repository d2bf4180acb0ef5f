#include "cli/args.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/number_text.h"

#include <ctype.h>
#include <string.h>

const struct option shared_options[SHARED_OPTIONS] = {
    {"quiet", 'q', NULL, "nothing on stderr but errors"},
    {"help", 'h', NULL, "this text"},
};

void usage_line(struct strbuf *out, const struct command *c)
{
    bool options_first = !strncmp(c->operands, "-- ", 3); /* behind it all is operands */
    strbuf_printf(out, "gait %s", c->name);
    if (c->n_options && options_first)
        strbuf_puts(out, " [options]");
    if (*c->operands)
        strbuf_printf(out, " %s", c->operands);
    if (c->n_options && !options_first)
        strbuf_puts(out, " [options]");
    if (c->takes_settings)
        strbuf_puts(out, " [--KEY VALUE …]");
}

static const struct option *find_in(const struct option *table, size_t n,
                                    const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
            return &table[i];
    return NULL;
}

static const struct option *find_letter(const struct option *table, size_t n, char letter)
{
    for (size_t i = 0; i < n; i++)
        if (letter && table[i].letter == letter)
            return &table[i];
    return NULL;
}

const struct option *command_option(const struct command *c, const char *name, size_t len)
{
    const struct option *o = find_in(c->options, c->n_options, name, len);
    return o ? o : find_in(shared_options, SHARED_OPTIONS, name, len);
}

const struct option *command_letter(const struct command *c, char letter)
{
    const struct option *o = find_letter(c->options, c->n_options, letter);
    return o ? o : find_letter(shared_options, SHARED_OPTIONS, letter);
}

static void change_all(char *s, char from, char to)
{
    for (; *s; s++)
        if (*s == from)
            *s = to;
}

static const char *nearest_option(const struct command *c, const char *name)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < c->n_options && n < 60; i++)
        names[n++] = c->options[i].name;
    names[n++] = "help";
    names[n++] = "quiet";
    const char *near = nearest_name(name, names, n);
    if (near || !c->takes_settings)
        return near;
    /* Keys are compared as they are written in files. */
    char *key = mem_strdup(name);
    change_all(key, '-', '_');
    near = config_nearest_key(key);
    mem_free(key);
    return near;
}

static enum status unknown_option(const struct command *c, const char *word,
                                  struct err *err)
{
    char *name = mem_strndup(word + 2, strcspn(word + 2, "="));
    const char *near = word[1] == '-' ? nearest_option(c, name) : NULL;
    mem_free(name);
    int len = (int)strcspn(word, "=");
    if (near) {
        char *flag = mem_strdup(near);
        change_all(flag, '_', '-');
        err_set(err, STATUS_USAGE, "%s has no option %.*s; did you mean --%s?", c->name,
                len, word, flag);
        mem_free(flag);
        return STATUS_USAGE;
    }
    return err_set(err, STATUS_USAGE, "%s has no option %.*s; `gait help %s` lists them",
                   c->name, len, word, c->name);
}

static void take_option(struct args *a, const struct option *o, const char *value)
{
    if (!strcmp(o->name, "help"))
        a->help = true;
    else if (!strcmp(o->name, "quiet"))
        a->quiet = true;
    else {
        vec_grow(a->options, a->cap_options, a->n_options + 1);
        a->options[a->n_options++] = (struct arg_given){o->name, value};
    }
}

static void take_setting(struct args *a, const char *key, const char *value)
{
    vec_grow(a->settings, a->cap_settings, a->n_settings + 1);
    a->settings[a->n_settings++] = (struct arg_given){key, value};
}

struct words {
    char **word;
    int n, at;
};

/* The value of an option: what is attached to its word, else the next word. */
static enum status option_value(struct words *w, const char *attached, const char *what,
                                const char **out, struct err *err)
{
    const char *name = w->word[w->at];
    if (!attached && w->at + 1 < w->n)
        attached = w->word[++w->at];
    if (!attached)
        return err_set(err, STATUS_USAGE, "%s wants a value; write %s %s", name, name,
                       what);
    *out = attached;
    return STATUS_OK;
}

static enum status take_long(struct args *a, struct words *w, struct err *err)
{
    char *word = w->word[w->at];
    char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
    const char *attached = equals ? equals + 1 : NULL, *value = NULL;
    const struct option *o = command_option(a->command, word + 2, len);
    if (o && !o->value) {
        if (equals)
            return err_set(err, STATUS_USAGE, "--%s takes no value; write --%s", o->name,
                           o->name);
        take_option(a, o, NULL);
        return STATUS_OK;
    }
    char *key = mem_strndup(word + 2, len);
    bool is_setting = !o && a->command->takes_settings && config_has_key(key);
    mem_free(key);
    if (!o && !is_setting)
        return unknown_option(a->command, word, err);
    enum status st = option_value(w, attached, o ? o->value : "VALUE", &value, err);
    if (st)
        return st;
    if (o) {
        take_option(a, o, value);
        return STATUS_OK;
    }
    if (equals)
        *equals = '\0'; /* the words are ours: the key ends here */
    take_setting(a, word + 2, value);
    return STATUS_OK;
}

static enum status take_short(struct args *a, struct words *w, struct err *err)
{
    const char *word = w->word[w->at];
    const struct command *c = a->command;
    const struct option *o = command_letter(c, word[1]);
    if (!o || (!o->value && word[2]))
        return unknown_option(c, word, err);
    const char *value = NULL;
    if (o->value) {
        enum status st =
            option_value(w, word[2] ? word + 2 : NULL, o->value, &value, err);
        if (st)
            return st;
    }
    take_option(a, o, value);
    return STATUS_OK;
}

/* The option that took an operand for its number, or NULL. */
static const struct option *swallowing_option(const struct args *a)
{
    for (size_t i = 0; i < a->n_options; i++) {
        const struct arg_given *given = &a->options[i];
        const struct option *o =
            command_option(a->command, given->name, strlen(given->name));
        if (o && o->value && !strcmp(o->value, "N") &&
            !isdigit((unsigned char)given->value[strspn(given->value, "+-")]))
            return o;
    }
    return NULL;
}

enum status args_wrong_operands(const struct args *a, struct err *err)
{
    const struct command *c = a->command;
    if (a->n_operands > c->max_operands)
        return err_set(err, STATUS_USAGE, "%s does not take \"%s\"; for example: gait %s",
                       c->name, a->operands[c->max_operands], c->example);
    const struct option *swallowing = swallowing_option(a);
    if (swallowing)
        return err_set(err, STATUS_USAGE, "--%s needs a number; write --%s N",
                       swallowing->name, swallowing->name);
    struct strbuf usage;
    strbuf_init(&usage);
    usage_line(&usage, c);
    err_set(err, STATUS_USAGE, "%s needs %s; usage: %s; for example: gait %s", c->name,
            c->operands, usage.s, c->example);
    strbuf_release(&usage);
    return STATUS_USAGE;
}

static enum status check_operands(const struct args *a, struct err *err)
{
    const struct command *c = a->command;
    if (a->help || (a->n_operands >= c->min_operands && a->n_operands <= c->max_operands))
        return STATUS_OK;
    return args_wrong_operands(a, err);
}

enum status args_parse(struct args *a, const struct command *c, char **words, int n,
                       struct err *err)
{
    *a = (struct args){.command = c};
    struct words w = {words, n, 0};
    bool options_over = false;
    for (; w.at < n; w.at++) {
        const char *word = words[w.at];
        enum status st = STATUS_OK;
        if (!options_over && !strcmp(word, "--")) {
            options_over = true;
        } else if (!options_over && word[0] == '-' && word[1]) {
            st = word[1] == '-' ? take_long(a, &w, err) : take_short(a, &w, err);
        } else {
            vec_grow(a->operands, a->cap_operands, a->n_operands + 1);
            a->operands[a->n_operands++] = word;
        }
        if (st)
            return st;
    }
    return check_operands(a, err);
}

void args_release(struct args *a)
{
    mem_free(a->operands);
    mem_free(a->options);
    mem_free(a->settings);
}

static const struct arg_given *find_given(const struct args *a, const char *name)
{
    if (!command_option(a->command, name, strlen(name)))
        BUG("%s has no option --%s", a->command->name, name);
    for (size_t i = a->n_options; i-- > 0;)
        if (!strcmp(a->options[i].name, name))
            return &a->options[i];
    return NULL;
}

bool args_has(const struct args *a, const char *name)
{
    return find_given(a, name) != NULL;
}

const char *args_value(const struct args *a, const char *name)
{
    const struct arg_given *g = find_given(a, name);
    return g ? g->value : NULL;
}

const char *args_only_operand(const struct args *a)
{
    return a->n_operands == 1 ? a->operands[0] : NULL;
}

enum status args_int(const struct args *a, const char *name, int64_t min, int64_t max,
                     int64_t *out, struct err *err)
{
    const char *text = args_value(a, name);
    int64_t v;
    if (!text)
        return STATUS_OK;
    if (!number_parse_int(&v, text) || v < min || v > max)
        return err_set(err, STATUS_USAGE,
                       "--%s is \"%s\"; allowed: a whole number from %lld to %lld", name,
                       text, (long long)min, (long long)max);
    *out = v;
    return STATUS_OK;
}

enum status args_real(const struct args *a, const char *name, double min, double max,
                      double *out, struct err *err)
{
    const char *text = args_value(a, name);
    double v;
    if (!text)
        return STATUS_OK;
    if (!number_parse_real(&v, text) || v < min || v > max)
        return err_set(err, STATUS_USAGE,
                       "--%s is \"%s\"; allowed: a number from %g to %g", name, text, min,
                       max);
    *out = v;
    return STATUS_OK;
}
