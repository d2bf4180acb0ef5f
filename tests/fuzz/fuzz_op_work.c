/*
 * Bytes as a line with the name of an operator and three with its inputs. Beside not
 * crashing: what is counted is never negative, and the same when it is counted again.
 */
#include "trace/op_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct json_text next_line(const char **p, const char *end)
{
    struct json_text t = {.s = *p};
    const char *stop = memchr(*p, '\n', (size_t)(end - *p));
    t.len = (size_t)((stop ? stop : end) - *p);
    *p = stop ? stop + 1 : end;
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1), *end = copy + size; /* no byte to spare behind it */
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    const char *p = copy;
    struct json_text name = next_line(&p, end), dims = next_line(&p, end),
                     types = next_line(&p, end), values = next_line(&p, end);
    int rule = op_work_rule(name.s, name.len);
    struct op_work a = op_work_count(rule, &dims, &types, &values);
    struct op_work b = op_work_count(rule, &dims, &types, &values);
    if (a.flop < 0 || a.bytes < 0 || a.flop != b.flop || a.bytes != b.bytes)
        abort();
    free(copy);
    return 0;
}
