/* Bytes as a number: what is taken agrees with strtold as far as that is exact. */
#include "trace/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[64];
    int64_t got, again;
    if (!size || size > sizeof text)
        return 0;
    int scale = data[0] % 4;
    size_t len = size - 1;
    memcpy(text, data + 1, len);
    text[len] = '\0';
    if (!decimal_to_int64(&got, text, len, scale))
        return 0;
    if (!decimal_to_int64(&again, text, len, scale) || again != got)
        abort();
    char *end;
    long double want = strtold(text, &end) * powl(10, scale);
    if (end != text + len)
        abort(); /* taken here, and not a number there */
    /* Rounding half away from zero, a long double's own rounding, and 19 digits kept. */
    if (fabsl(want - (long double)got) > 0.5L + 1e-6L + fabsl(want) * 1e-18L)
        abort();
    return 0;
}
