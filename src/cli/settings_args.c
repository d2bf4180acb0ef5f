#include "cli/settings_args.h"

#include "config/preset.h"
#ifdef GAIT_TRAIN
#include "machine/cpu.h"
#include "machine/memory_limit.h"
#endif

#include <stdio.h>

static enum status apply_preset(struct config *c, const char *name, struct err *err)
{
    struct preset_facts facts;
    const struct preset_facts *measured = NULL;
#ifdef GAIT_TRAIN
    struct memory_limit limit = memory_limit_find(&(struct memory_limit_options){0});
    struct preset_facts here = {.memory_bytes = limit.bytes,
                                .cores = cpu_usable_cores(),
                                .cache_bytes = cpu_last_cache_bytes()};
    measured = &here;
#endif
    enum status st = preset_find(&facts, name, measured, err);
    return st ? st : preset_apply(c, &facts, err);
}

static enum status read_settings(struct config *c, const char *path, const char *preset,
                                 const struct args *args, struct err *err)
{
    config_init(c);
    enum status st = path ? config_read_yaml(c, path, err) : STATUS_OK;
    if (!st && preset)
        st = apply_preset(c, preset, err);
    for (size_t i = 0; i < args->n_settings && !st; i++)
        st = config_set(c, args->settings[i].name, args->settings[i].value, err);
    return st;
}

enum status settings_with_preset(struct config *c, const char *path, const char *preset,
                                 const struct args *args, struct err *err)
{
    enum status st = read_settings(c, path, preset, args, err);
    if (st || !(st = config_check(c, err)))
        return st;
    return path ? err_prefix(err, "%s", path) : st;
}

enum status settings_unchecked(struct config *c, const char *path,
                               const struct args *args, struct err *err)
{
    return read_settings(c, path, NULL, args, err);
}

enum status settings_from_args(struct config *c, const char *path,
                               const struct args *args, struct err *err)
{
    return settings_with_preset(c, path, NULL, args, err);
}

void print_settings(const struct config *c, bool json)
{
    struct strbuf out;
    strbuf_init(&out);
    (json ? config_print_json : config_print_yaml)(c, &out);
    fputs(out.s, stdout);
    strbuf_release(&out);
}
