/* The sanitizers' options that every target shares: most of the time of a short input
 * goes into its allocations. Freed memory stays poisoned for far longer than one input
 * takes; of new memory the first bytes are filled, which shows what was not set. For the
 * stack of an allocation, run a kept input with ASAN_OPTIONS=malloc_context_size=30. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=32:max_malloc_fill_size=64";
}
