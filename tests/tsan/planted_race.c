/* A real race between OpenMP threads: ThreadSanitizer must see it, or its silence
 * elsewhere means nothing. The test is marked to fail. */
#include <stdio.h>

int main(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(4) shared(sum)
    for (int i = 0; i < 100000; i++)
        sum += i;
    printf("%ld\n", sum);
    return 0;
}
