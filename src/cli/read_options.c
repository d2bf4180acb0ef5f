#include "cli/read_options.h"

#include "cli/size_text.h"
#include "reduce/reduce.h"

#include <errno.h>
#include <stdlib.h>

enum { READ_THREADS_MAX = 256, READ_MEMORY_MIN_MIB = 1 };

_Static_assert((int)LOAD_KEEP_STEPS_MAX == (int)REDUCE_KEEP_STEPS_MAX,
               "as many steps as the reducer takes");

static enum status read_memory(struct load_options *out, const struct args *args,
                               struct err *err)
{
    const char *text = args_value(args, "memory");
    uint64_t bytes = 0;
    if (!text)
        return STATUS_OK;
    if (!size_parse(&bytes, text) || bytes < (uint64_t)READ_MEMORY_MIN_MIB << 20 ||
        bytes > SIZE_MAX / 2)
        return err_set(err, STATUS_USAGE,
                       "--memory is \"%s\"; allowed: a size from 1M, like 512M or 2G",
                       text);
    out->memory_bytes = (size_t)bytes;
    return STATUS_OK;
}

enum status read_options(struct load_options *out, const struct args *args,
                         struct err *err)
{
    int64_t threads = 0;
    enum status st = args_int(args, "threads", 1, READ_THREADS_MAX, &threads, err);
    if (st)
        return st;
    out->threads = (int)threads;
    return read_memory(out, args, err);
}

/* A number at *text, which moves behind it. */
static bool take_number(const char **text, int64_t *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    long long n = strtoll(*text, &end, 10);
    *text = end;
    *out = n;
    return !errno;
}

/* "5" or "7-9" at *text; false where it is neither or there are too many. */
static bool take_range(struct load_options *o, const char **text)
{
    int64_t first, last;
    if (!take_number(text, &first))
        return false;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!take_number(text, &last) || last < first)
            return false;
    }
    uint64_t more = (uint64_t)last - (uint64_t)first;
    if (more >= LOAD_KEEP_STEPS_MAX - o->n_keep_steps)
        return false;
    for (uint64_t i = 0; i <= more; i++)
        o->keep_steps[o->n_keep_steps++] = first + (int64_t)i;
    return true;
}

enum status read_steps(struct load_options *out, const struct args *args, struct err *err)
{
    const char *list = args_value(args, "steps"), *at = list;
    if (!list)
        return STATUS_OK;
    while (take_range(out, &at)) {
        if (!*at)
            return STATUS_OK;
        if (*at++ != ',')
            break;
    }
    return err_set(err, STATUS_USAGE,
                   "--steps is \"%s\"; allowed: numbers of up to %d steps, like 5,7-9",
                   list, LOAD_KEEP_STEPS_MAX);
}
