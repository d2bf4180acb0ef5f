/*
 * Bytes as a config file. Beside not crashing: a file that is refused changes nothing and
 * says why; one that is taken prints as YAML that reads back equal.
 */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refused(const struct config *c, const struct err *err)
{
    struct config defaults;
    config_init(&defaults);
    if (!config_equal(c, &defaults) || !*err->text || !err->status)
        abort();
    config_release(&defaults);
}

static void check_reads_back(const struct config *c)
{
    struct config back;
    struct err err = ERR_INIT;
    struct strbuf out;
    strbuf_init(&out);
    config_init(&back);
    config_print_yaml(c, &out);
    if (config_parse_yaml(&back, out.s, out.len, "printed", &err) ||
        !config_equal(c, &back))
        abort();
    config_release(&back);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config c;
    struct err err = ERR_INIT;
    config_init(&c);
    if (config_parse_yaml(&c, (const char *)data, size, "fuzz.yaml", &err)) {
        check_refused(&c, &err);
    } else {
        check_reads_back(&c);
        config_check(&c, &err);
    }
    config_release(&c);
    return 0;
}
