#include "metrics/prometheus_text.h"

#include "base/json_writer.h"

#include <math.h>
#include <string.h>

static void put_words(struct strbuf *out, const char *name)
{
    for (; *name; name++)
        strbuf_putc(out, (char)(*name == '.' ? '_' : *name));
}

/* What stands in {} is a note for people, and no part of the name. */
static void put_unit(struct strbuf *out, const char *unit)
{
    static const struct {
        const char *unit, *word;
    } words[] = {{"s", "seconds"}, {"By", "bytes"}};
    size_t len = strcspn(unit, "/");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].unit) == len && !strncmp(unit, words[i].unit, len))
            strbuf_printf(out, "_%s", words[i].word);
    if (!strcmp(unit + len, "/s"))
        strbuf_puts(out, "_per_second");
}

void prometheus_name(struct strbuf *out, const struct metric_row *row)
{
    put_words(out, row->name);
    put_unit(out, row->unit);
    if (row->kind == METRIC_COUNTER)
        strbuf_puts(out, "_total");
}

static void put_escaped(struct strbuf *out, const char *s, bool is_label)
{
    for (; *s; s++)
        if (*s == '\n')
            strbuf_puts(out, "\\n");
        else if (*s == '\\')
            strbuf_puts(out, "\\\\");
        else if (*s == '"' && is_label)
            strbuf_puts(out, "\\\"");
        else
            strbuf_putc(out, *s);
}

static void put_head(struct strbuf *out, const char *name, const char *help,
                     enum metric_kind kind)
{
    strbuf_printf(out, "# HELP %s ", name);
    put_escaped(out, help, false);
    strbuf_printf(out, "\n# TYPE %s %s\n", name,
                  kind == METRIC_COUNTER ? "counter" : "gauge");
}

static void put_label(struct strbuf *out, const struct metric_label *l, char before)
{
    strbuf_putc(out, before);
    put_words(out, l->name);
    strbuf_puts(out, "=\"");
    put_escaped(out, l->value, true);
    strbuf_putc(out, '"');
}

static void put_value(struct strbuf *out, double v)
{
    char text[JSON_NUMBER_MAX] = "NaN";
    if (isfinite(v))
        json_number_text(text, v);
    else if (!isnan(v))
        strcpy(text, v > 0 ? "+Inf" : "-Inf");
    strbuf_printf(out, " %s\n", text);
}

static void put_info(struct strbuf *out, const struct metric_set *set)
{
    static const char name[] = "gait_run_info";
    const struct metric_label run = {"run", set->run};
    put_head(out, name, "What is trained; always 1", METRIC_GAUGE);
    strbuf_puts(out, name);
    put_label(out, &run, '{');
    for (size_t i = 0; i < set->n_info; i++)
        put_label(out, &set->info[i], ',');
    strbuf_putc(out, '}');
    put_value(out, 1);
}

void prometheus_text(struct strbuf *out, const struct metric_set *set,
                     const struct metric_values *v)
{
    const struct metric_label run = {"run", set->run};
    const char *headed = NULL; /* the metric whose head was written last */
    struct strbuf name;
    strbuf_init(&name);
    put_info(out, set);
    for (size_t i = 0; i < set->n; i++) {
        const struct metric_row *row = &set->row[i];
        if (!metric_is_known(v, i))
            continue;
        strbuf_clear(&name);
        prometheus_name(&name, row);
        if (!headed || strcmp(headed, row->name) != 0)
            put_head(out, name.s, row->help, row->kind);
        headed = row->name;
        strbuf_puts(out, name.s);
        put_label(out, &run, '{');
        if (row->label.name)
            put_label(out, &row->label, ',');
        strbuf_putc(out, '}');
        put_value(out, v->value[i]);
    }
    strbuf_release(&name);
}
