/* The settings as YAML, as JSON, as rows of --help, as docs/config.md. */
#include "config/config.h"

#include "base/json_writer.h"
#include "config/setting.h"

#include <string.h>

/* May stand unescaped between double quotes in YAML: printable, no break, no BOM. */
static bool yaml_plain(uint32_t c)
{
    if (c < 0xa0)
        return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    return c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe && c != 0xffff;
}

static uint32_t code_point(const char *s, int len)
{
    static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (unsigned char)s[0] & lead_mask[len];
    for (int i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    return c;
}

static void put_quoted(struct strbuf *out, const char *s)
{
    size_t len = strlen(s);
    strbuf_putc(out, '"');
    for (size_t i = 0; i < len;) {
        int seq = utf8_sequence_len(s + i, len - i);
        if (!seq)
            BUG("a text setting is not UTF-8");
        uint32_t c = code_point(s + i, seq);
        if (yaml_plain(c))
            strbuf_add(out, s + i, (size_t)seq);
        else
            strbuf_printf(out, "\\U%08X", (unsigned)c);
        i += (size_t)seq;
    }
    strbuf_putc(out, '"');
}

static void put_value(struct strbuf *out, const struct config *c, const struct setting *s)
{
    struct strbuf value;
    strbuf_init(&value);
    setting_value(&value, c, s);
    if (s->kind == SETTING_KIND_TEXT)
        put_quoted(out, value.s);
    else
        strbuf_puts(out, value.s);
    strbuf_release(&value);
}

static bool opens_section(size_t i)
{
    return !i || strcmp(setting_table[i - 1].section, setting_table[i].section) != 0;
}

void config_print_yaml_noted(const struct config *c, struct strbuf *out,
                             const char *(*note)(void *context, const char *key),
                             void *context)
{
    enum { COMMENT_COLUMN = 32 };
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *s = &setting_table[i];
        const char *noted = note ? note(context, s->key) : NULL;
        if (opens_section(i))
            strbuf_printf(out, "%s%s:\n", i ? "\n" : "", s->section);
        size_t start = out->len;
        strbuf_printf(out, "  %s: ", s->key);
        put_value(out, c, s);
        int used = (int)(out->len - start);
        strbuf_repeat(out, " ", used < COMMENT_COLUMN ? COMMENT_COLUMN - used : 1);
        strbuf_printf(out, "# %s\n", noted ? noted : s->help);
    }
}

void config_print_yaml(const struct config *c, struct strbuf *out)
{
    config_print_yaml_noted(c, out, NULL, NULL);
}

static void put_json_value(struct json_writer *w, const struct config *c,
                           const struct setting *s)
{
    struct config *table = (struct config *)(uintptr_t)c; /* only read here */
    switch (s->kind) {
    case SETTING_KIND_INT:
        json_int(w, *setting_int(table, s));
        break;
    case SETTING_KIND_REAL:
        json_exact(w, *setting_real(table, s));
        break;
    case SETTING_KIND_BOOL:
        json_bool(w, *setting_bool(table, s));
        break;
    case SETTING_KIND_TEXT:
    case SETTING_KIND_CHOICE:
        json_string(w, *setting_text(table, s));
        break;
    }
}

void config_print_json(const struct config *c, struct strbuf *out)
{
    enum { CONFIG_JSON_VERSION = 1 };
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-config");
    json_field_int(&w, "version", CONFIG_JSON_VERSION);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *s = &setting_table[i];
        if (opens_section(i)) {
            if (i)
                json_end(&w);
            json_key(&w, s->section);
            json_begin_object(&w);
        }
        json_key(&w, s->key);
        put_json_value(&w, c, s);
    }
    json_end(&w);
    json_end(&w);
}

void config_put_dashed(struct strbuf *out, const char *key)
{
    for (; *key; key++)
        strbuf_putc(out, *key == '_' ? '-' : *key);
}

static struct config_flag flag_of(const struct setting *s)
{
    static const char *const words[] = {"N", "X", "BOOL", "TEXT", ""};
    return (struct config_flag){
        .section = s->section,
        .key = s->key,
        .value = s->kind == SETTING_KIND_CHOICE ? s->choices : words[s->kind],
        .help = s->help,
    };
}

struct config_flag config_flag(size_t i)
{
    return flag_of(&setting_table[i]);
}

bool config_flag_find(struct config_flag *out, const char *key)
{
    const struct setting *s = setting_find(key);
    if (s)
        *out = flag_of(s);
    return s != NULL;
}

void config_put_default(struct strbuf *out, size_t i)
{
    struct config defaults;
    config_init(&defaults);
    put_value(out, &defaults, &setting_table[i]);
    config_release(&defaults);
}

void config_print_help(struct strbuf *out)
{
    enum { HELP_COLUMN = 36 };
    struct config defaults;
    config_init(&defaults);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *s = &setting_table[i];
        size_t start = out->len;
        strbuf_puts(out, "  --");
        config_put_dashed(out, s->key);
        strbuf_printf(out, " %s", flag_of(s).value);
        int used = (int)(out->len - start);
        strbuf_repeat(out, " ", used < HELP_COLUMN ? HELP_COLUMN - used : 1);
        strbuf_printf(out, "%s [", s->help);
        put_value(out, &defaults, s);
        strbuf_puts(out, "]\n");
    }
    config_release(&defaults);
}

static const char markdown_head[] =
    "# Settings\n"
    "\n"
    "Made by `scripts/draw-docs` from `src/config/settings.h`; edit that file instead.\n"
    "\n"
    "`gait train CONFIG` and `gait profile CONFIG` read one YAML file. A key stands at\n"
    "the top level or under its section; each also is a flag, `--key value`, with `-` "
    "or\n"
    "`_` alike, and a flag wins over the file. What is not given keeps its default.\n"
    "`gait config` prints all settings as such a file, `gait config --json` as JSON.\n"
    "\n"
    "- Whole numbers: `12`, `1_000`, and reals that are whole: `1e6`.\n"
    "- Numbers: `0.1`, `1e-3`, `3.0e-4`, `.5`. Not `inf`, `nan`, `0x10` or `010`.\n"
    "- Booleans: `true`, `false`, `yes`, `no`, `on`, `off`, in any case.\n"
    "- Text: quoted where YAML needs it. Numbers and booleans are never quoted.\n"
    "- Not supported: lists, deeper nesting, anchors, aliases, tags, several documents.\n"
    "\n"
    "A key that is unknown, given twice, under another section or out of range is an\n"
    "error that names file and line.\n";

static const char markdown_presets[] =
    "\n## Presets\n\n"
    "`gait config [CONFIG] --preset NAME` sets `batch_size`, `gradient_accumulation`,\n"
    "`recompute` and `num_workers` to values to start from; flags still win. `auto` is\n"
    "this machine: usable memory and cores with the control group's limits, and the\n"
    "last cache. `laptop` is 16 GiB, 4 cores, 8 MiB; `desktop` 32 GiB, 8 cores, 32 MiB;\n"
    "`server` 256 GiB, 64 cores, 128 MiB. The values follow a rule, they are not\n"
    "measured optima:\n\n"
    "- a batch has 64 tokens a core; more, up to 4096, where so many tokens' MLP\n"
    "  activations stay within the last cache;\n"
    "- `batch_size` is that over `context`, down to a power of two, halved until the\n"
    "  estimated memory is at most half of what there is; `gait train` plans the memory\n"
    "  exactly and says what would fit;\n"
    "- `recompute` where one sequence would not fit without it;\n"
    "- `num_workers` is one for every 8 cores, at least 1 and at most 4. This is also\n"
    "  what `num_workers: -1` means.\n";

static void put_other_names(struct strbuf *out)
{
    strbuf_puts(out, "\n## Other names\n\nTaken too, so that configs written elsewhere "
                     "can be read:\n\n| key | here |\n|---|---|\n");
    for (size_t i = 0; i < n_key_aliases; i++)
        strbuf_printf(out, "| `%s` | the same as `%s` |\n", key_aliases[i].name,
                      key_aliases[i].key);
    for (size_t i = 0; i < n_keys_unneeded; i++)
        strbuf_printf(out, "| `%s` | changes nothing, with a note: %s |\n",
                      keys_unneeded[i].name, keys_unneeded[i].why);
}

void config_print_markdown(struct strbuf *out)
{
    struct config defaults;
    config_init(&defaults);
    strbuf_puts(out, markdown_head);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *s = &setting_table[i];
        if (opens_section(i))
            strbuf_printf(out,
                          "\n## %s\n\n| key | default | allowed | what it is |\n"
                          "|---|---|---|---|\n",
                          s->section);
        strbuf_printf(out, "| `%s` | `", s->key);
        put_value(out, &defaults, s);
        strbuf_puts(out, "` | ");
        setting_allowed(out, s);
        strbuf_printf(out, " | %s |\n", s->help);
    }
    config_release(&defaults);
    strbuf_puts(out, markdown_presets);
    put_other_names(out);
}
