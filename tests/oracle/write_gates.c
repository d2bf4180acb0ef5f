/*
 * Writes gates made by hand as other programs get them, for
 * tests/e2e/gates_are_what_others_read.py.
 *
 *   write_gates junit|markdown 0|1 WORD…    1: a file could not be read
 *
 * Each word is the name and the remark of a gate, with verdicts in turn; the first and the
 * last are what was compared.
 */
#include "verify/gate_fill.h"
#include "verify/verify_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *const codes[] = {"", "slower", "too_few_steps", "no_memory"};
    struct verify_result r = {.shared = {NAN, NAN}};
    struct strbuf out;
    if (argc < 4 || argc - 3 > VERIFY_GATES_MAX)
        return 2;
    strbuf_init(&out);
    for (int i = 3; i < argc; i++) {
        enum verdict v = (enum verdict)((i - 3) % 4);
        struct gate_result *g = gate_add(&r, argv[i]);
        gate_decide(&r, g, v, codes[v], "%s", argv[i]);
        snprintf(g->before, sizeof g->before, "%s", argv[i]);
    }
    snprintf(r.baseline.name, sizeof r.baseline.name, "%s", argv[3]);
    struct verify_shown shown = {.subject = {argv[3], argv[argc - 1]},
                                 .recordings = true,
                                 .unread = !strcmp(argv[2], "1")};
    if (!strcmp(argv[1], "junit"))
        verify_print_junit(&out, &r, &shown);
    else
        verify_print_markdown(&out, &r, &shown);
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
    return 0;
}
