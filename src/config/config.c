/* The life of a struct config, and one setting at a time. */
#include "config/config.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "config/key_alias.h"
#include "config/setting.h"

#include <string.h>

void config_init(struct config *c)
{
#define DEFAULT_NUMBER(section, key, def, min, max, help) c->key = def;
#define DEFAULT_BOOL(section, key, def, help) c->key = def;
#define DEFAULT_TEXT(section, key, def, help) c->key = mem_strdup(def);
#define DEFAULT_CHOICE(section, key, def, choices, help) c->key = mem_strdup(def);
    SETTINGS(DEFAULT_NUMBER, DEFAULT_NUMBER, DEFAULT_BOOL, DEFAULT_TEXT, DEFAULT_CHOICE)
}

static bool holds_text(const struct setting *s)
{
    return s->kind == SETTING_KIND_TEXT || s->kind == SETTING_KIND_CHOICE;
}

void config_release(struct config *c)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (holds_text(&setting_table[i])) {
            mem_free(*setting_text(c, &setting_table[i]));
            *setting_text(c, &setting_table[i]) = NULL;
        }
}

void config_copy(struct config *dst, const struct config *src)
{
    struct config copy = *src;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (holds_text(&setting_table[i])) {
            char **text = setting_text(&copy, &setting_table[i]);
            *text = mem_strdup(*text);
        }
    config_release(dst);
    *dst = copy;
}

void config_copy_for_trial(struct config *dst, const struct config *src)
{
    config_init(dst);
    config_copy(dst, src);
    if (config_set(dst, "checkpoint_dir", "", NULL) ||
        config_set(dst, "resume", "auto", NULL) ||
        config_set(dst, "metrics_file", "", NULL) ||
        config_set(dst, "metrics_otlp", "", NULL))
        BUG("checkpoints and metrics cannot be turned off");
    dst->metrics_port = -1;
    dst->checkpoint_interval = dst->checkpoint_epochs = 0;
    dst->checkpoint_minutes = 0;
}

bool config_equal(const struct config *a, const struct config *b)
{
    struct strbuf left, right;
    strbuf_init(&left);
    strbuf_init(&right);
    bool equal = true;
    for (size_t i = 0; i < SETTING_COUNT && equal; i++) {
        strbuf_clear(&left);
        strbuf_clear(&right);
        setting_value(&left, a, &setting_table[i]);
        setting_value(&right, b, &setting_table[i]);
        equal = !strcmp(left.s, right.s);
    }
    strbuf_release(&left);
    strbuf_release(&right);
    return equal;
}

bool config_has_key(const char *key)
{
    return setting_find(key) || key_find_unneeded(key);
}

const char *config_nearest_key(const char *typed)
{
    const char *known = key_of_elsewhere(typed);
    if (known)
        return known;
    const char *keys[SETTING_COUNT];
    for (size_t i = 0; i < SETTING_COUNT; i++)
        keys[i] = setting_table[i].key;
    return nearest_name(typed, keys, SETTING_COUNT);
}

enum status config_set(struct config *c, const char *key, const char *value,
                       struct err *err)
{
    const struct setting *s = setting_find(key);
    if (s)
        return setting_assign(c, s, value, err);
    if (key_find_unneeded(key)) {
        setting_note_unneeded(key_find_unneeded(key));
        return STATUS_OK;
    }
    const char *near = config_nearest_key(key);
    struct shown_value shown = shown_value(key);
    if (near)
        return err_set(err, STATUS_USAGE, "unknown setting %s; did you mean %s?", shown.s,
                       near);
    return err_set(err, STATUS_USAGE, "unknown setting %s; `gait config` lists them all",
                   shown.s);
}

size_t config_count(void)
{
    return SETTING_COUNT;
}

const char *config_key(size_t i)
{
    if (i >= SETTING_COUNT)
        BUG("setting %zu of %d", i, (int)SETTING_COUNT);
    return setting_table[i].key;
}

void config_value(struct strbuf *out, const struct config *c, size_t i)
{
    if (i >= SETTING_COUNT)
        BUG("setting %zu of %d", i, (int)SETTING_COUNT);
    setting_value(out, c, &setting_table[i]);
}

void config_value_of(struct strbuf *out, const struct config *c, const char *key)
{
    const struct setting *s = setting_find(key);
    if (!s)
        BUG("there is no setting %s", key);
    setting_value(out, c, s);
}

int64_t config_workers(int64_t num_workers, int64_t cores)
{
    enum { CORES_A_WORKER = 8, WORKERS_MAX = 4 };
    if (num_workers >= 0)
        return num_workers;
    int64_t by_cores = cores / CORES_A_WORKER;
    return by_cores < 1 ? 1 : by_cores > WORKERS_MAX ? WORKERS_MAX : by_cores;
}
