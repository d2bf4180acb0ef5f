#include "cli/settings_args.h"

enum status settings_from_args(struct config *c, const char *path,
                               const struct args *args, struct err *err)
{
    config_init(c);
    enum status st = path ? config_read_yaml(c, path, err) : STATUS_OK;
    for (size_t i = 0; i < args->n_settings && !st; i++)
        st = config_set(c, args->settings[i].name, args->settings[i].value, err);
    if (st || !(st = config_check(c, err)))
        return st;
    return path ? err_prefix(err, "%s", path) : st;
}
