#include "gen_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice {
    const char *name, *values; /* values in the order of the enum, by spaces */
    size_t offset;
};

static const struct choice choices[] = {
    {"dialect", "us epoch-ns relative-ns", offsetof(struct gen_options, dialect)},
    {"vendor", "nvidia amd", offsetof(struct gen_options, vendor)},
    {"marks", "profiler none optimizer lightning", offsetof(struct gen_options, marks)},
    {"base", "head footer absent", offsetof(struct gen_options, base_in)},
    {"rank-in", "head footer name nothing", offsetof(struct gen_options, rank_in)},
    {"cause", "input compute", offsetof(struct gen_options, cause)},
};

struct toggle {
    const char *name, *doc;
    size_t offset;
};
#define SWITCH_ROW(member, doc) {#member, doc, offsetof(struct gen_options, member)},
static const struct toggle switches[] = {SWITCH_LIST(SWITCH_ROW)};

struct number {
    const char *name, *doc;
    int64_t initial;
    size_t offset;
};
#define NUMBER_ROW(member, name, initial, doc)                                           \
    {name, doc, initial, offsetof(struct gen_options, member)},
static const struct number numbers[] = {NUMBER_LIST(NUMBER_ROW)};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static _Noreturn void usage(const char *problem)
{
    fprintf(stderr,
            "generate_trace: %s\n"
            "usage: generate_trace [OPTION…] -o FILE|FOLDER|-\n"
            "  --answers FILE     what an analysis of it must find, as JSON\n"
            "  --size 10MB        of a file, instead of --steps\n",
            problem);
    for (size_t i = 0; i < COUNT_OF(choices); i++)
        fprintf(stderr, "  --%-16s one of: %s\n", choices[i].name, choices[i].values);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        fprintf(stderr, "  --%-16s %s (%lld)\n", numbers[i].name, numbers[i].doc,
                (long long)numbers[i].initial);
    for (size_t i = 0; i < COUNT_OF(switches); i++)
        fprintf(stderr, "  --%-16s %s\n", switches[i].name, switches[i].doc);
    exit(2);
}

/* "--sync-events" is the member sync_events. */
static bool same_name(const char *arg, const char *member)
{
    for (; *arg && *member; arg++, member++)
        if (*arg != *member && !(*arg == '-' && *member == '_'))
            return false;
    return *arg == *member;
}

static bool set_choice(struct gen_options *o, const char *name, const char *value)
{
    for (size_t i = 0; i < COUNT_OF(choices); i++) {
        if (strcmp(name, choices[i].name))
            continue;
        int index = 0;
        for (const char *p = choices[i].values; *p; index++) {
            size_t len = strcspn(p, " ");
            if (strlen(value) == len && !strncmp(p, value, len)) {
                memcpy((char *)o + choices[i].offset, &index, sizeof index);
                return true;
            }
            p += len + (p[len] == ' ');
        }
        usage(name);
    }
    return false;
}

static int64_t parse_number(const char *name, const char *value)
{
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 10);
    if (errno || end == value || *end)
        usage(name);
    return v;
}

static bool set_number(struct gen_options *o, const char *name, const char *value)
{
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (strcmp(name, numbers[i].name))
            continue;
        int64_t v = parse_number(name, value);
        memcpy((char *)o + numbers[i].offset, &v, sizeof v);
        return true;
    }
    return false;
}

static bool set_switch(struct gen_options *o, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(switches); i++)
        if (same_name(name, switches[i].name)) {
            *(bool *)((char *)o + switches[i].offset) = true;
            return true;
        }
    return false;
}

static int64_t parse_size(const char *value)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}};
    char *end;
    double v = strtod(value, &end);
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (end != value && v > 0 && !strcmp(end, units[i].unit))
            return (int64_t)(v * units[i].bytes);
    usage("--size wants a number and KB, MB or GB");
}

static void set_defaults(struct gen_options *o)
{
    *o = (struct gen_options){.dialect = DIALECT_RELATIVE_NS};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        memcpy((char *)o + numbers[i].offset, &numbers[i].initial, sizeof(int64_t));
}

/* What the dialect of 2021 and a single rank cannot have. */
static void settle(struct gen_options *o)
{
    enum { LAYERS_MAX = 512, RANKS_MAX = 100000 };
    if (!o->output)
        usage("where to? -o is missing");
    if (o->steps < 1 || o->layers < 2 || o->layers > LAYERS_MAX || o->ranks < 1 ||
        o->ranks > RANKS_MAX || o->straggler >= o->ranks || o->slow_ns < 0 ||
        o->jitter_ns < 0 || o->skew_ns < 0)
        usage("a number is out of range");
    if (o->old) {
        o->dialect = DIALECT_US;
        o->python = o->sync_events = false;
    }
    if (o->bare)
        o->base_in = BASE_ABSENT;
    if (o->ranks == 1)
        o->jitter_ns = o->skew_ns = 0;
    if (o->no_comm) /* without collectives nobody waits for anybody */
        o->jitter_ns = 0, o->straggler = -1;
    if (!o->world)
        o->world = o->ranks;
}

void gen_options_parse(struct gen_options *o, int argc, char **argv)
{
    set_defaults(o);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + 2, *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "-o"))
            o->output = argv[++i];
        else if (strncmp(argv[i], "--", 2))
            usage(argv[i]);
        else if (!strcmp(name, "answers"))
            o->answers = argv[++i];
        else if (!strcmp(name, "size"))
            o->size_bytes = parse_size(argv[++i] ? argv[i] : "");
        else if (set_choice(o, name, value) || set_number(o, name, value))
            i++;
        else if (!set_switch(o, name))
            usage(argv[i]);
    }
    settle(o);
}

int64_t gen_unit_ns(const struct gen_options *o)
{
    return o->dialect == DIALECT_US ? 1000 : 1;
}
