/* Any bytes as a Python source, through every rule of lint and its fixes. */
#include "lint_invariants.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool refused;
    const char *wrong = lint_wrong((const char *)data, size, &refused);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
