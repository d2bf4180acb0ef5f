/* Any bytes as what the hook wrote of a recorded process: an error that says why, or rows
 * that make a sound run. No trace that it names lies outside its folder. */
#include "record/process_rows.h"
#include "record/round_choice.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rounds(const struct process_file *p)
{
    const struct process_file *one = p;
    int round = round_choose(&one, 1), stacks = round_with_stacks(p);
    if (round != ROUND_NONE && !round_at(p, round))
        abort();
    if (stacks != ROUND_NONE && !round_at(p, stacks))
        abort();
    for (int i = 0; i < (int)p->rounds; i++) {
        const char *trace = json_string_or(json_get(round_at(p, i), "trace"), "");
        if (strchr(trace, '/') || *trace == '.')
            abort();
    }
}

static void check_rows(const struct process_file *p)
{
    struct run run;
    struct err err = ERR_INIT;
    run_init(&run);
    ranks_add(&run.ranks, (struct rank){.rank = p->rank, .world = p->world});
    if (process_rows_add(&run, p, &err)) {
        if (!*err.text)
            abort();
    } else if (run_check(&run, &err)) {
        abort();
    }
    run_release(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct process_file p;
    struct err err = ERR_INIT;
    if (process_file_parse(&p, (const char *)data, size, "process-1.json", &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
        return 0;
    }
    check_rounds(&p);
    check_rows(&p);
    process_file_close(&p);
    return 0;
}
