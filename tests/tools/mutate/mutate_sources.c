/* Python sources with random damage through every rule of lint and its fixes. */
#include "mutants.h"

#include "lint_invariants.h"

#include <stdio.h>

static enum status try_mutant(const struct mutant *m)
{
    bool refused = false;
    const char *wrong = lint_wrong(m->text, m->len, &refused);
    if (wrong)
        printf("FAILED %s: %s\n", m->label, wrong);
    return wrong ? STATUS_FAILED : refused ? STATUS_INPUT : STATUS_OK;
}

int main(int argc, char **argv)
{
    static const struct mutants sources = {.program = "mutate_sources",
                                           .try = try_mutant};
    return mutants_main(&sources, argc, argv);
}
