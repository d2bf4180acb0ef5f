/* Apart from bundle_texts.c: the headers of reports and of measuring each have a ceiling
 * of their own. */
#include "cli/bundle_texts.h"

#include <sys/utsname.h>

#ifdef GAIT_TRAIN
#include "cli/bench_cache.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#endif

#ifdef GAIT_TRAIN
static void print_machine(struct strbuf *out)
{
    struct run machine, kept;
    struct ceilings all;
    struct bench_cache cache;
    run_init(&machine);
    run_init(&kept);
    machine_describe(&machine, -1);
    print_facts(out, &machine);
    bench_cache_init(&cache, &machine, cpu_usable_cores());
    if (bench_cache_load(&cache, &kept, &all))
        print_facts(out, &kept);
    else
        strbuf_puts(out, "ceilings: not measured on this machine; `gait bench` does\n");
    bench_cache_release(&cache);
    run_release(&kept);
    run_release(&machine);
}
#else
static void print_machine(struct strbuf *out)
{
    strbuf_puts(out, "no more is known: this build has no trainer, which looks at it\n");
}
#endif

void bundle_add_machine(struct bundle *b)
{
    struct strbuf text;
    struct utsname system;
    strbuf_init(&text);
    strbuf_printf(&text, "gait %s\n", GAIT_VERSION);
    if (!uname(&system)) /* without its name */
        strbuf_printf(&text, "%s %s %s\n", system.sysname, system.release,
                      system.machine);
    print_machine(&text);
    bundle_add(b, "machine.txt", "the machine that made the bundle", text.s, text.len);
    strbuf_release(&text);
}
