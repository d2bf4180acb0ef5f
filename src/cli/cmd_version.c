/* The version, and what this build can do. */
#include "base/json_writer.h"
#include "cli/args.h"
#include "source/source_query.h"

#include <stdio.h>

enum { VERSION_JSON_VERSION = 1 };

#ifdef GAIT_TRAIN
static const bool has_trainer = true;
#else
static const bool has_trainer = false;
#endif

static void print_json(void)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-version");
    json_field_int(&w, "version", VERSION_JSON_VERSION);
    json_field_string(&w, "gait", GAIT_VERSION);
    json_key(&w, "trainer");
    json_bool(&w, has_trainer);
    json_key(&w, "lint");
    json_bool(&w, source_available());
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static enum status cmd_version(const struct args *args, struct err *err)
{
    (void)err;
    if (args_has(args, "json")) {
        print_json();
        return STATUS_OK;
    }
    printf("gait %s\n", GAIT_VERSION);
    printf("trainer: %s\n", has_trainer ? "yes" : "no (built with -DGAIT_TRAIN=OFF)");
    printf("lint: %s\n", source_available()
                             ? "yes"
                             : "no (run scripts/fetch-tree-sitter, then build again)");
    return STATUS_OK;
}

static const struct option options[] = {
    {"json", 0, NULL, "the same as JSON"},
};

const struct command command_version = {
    .name = "version",
    .run = cmd_version,
    .summary = "the version, and what this build can do",
    .operands = "",
    OPTIONS(options),
    .example = "version",
};
