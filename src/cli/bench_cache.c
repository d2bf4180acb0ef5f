#ifdef GAIT_TRAIN
#include "cli/bench_cache.h"

#include "base/cache_folder.h"
#include "base/content_hash.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "machine/ceilings_facts.h"
#include "run/run_file.h"

#include <string.h>
#include <time.h>

static const char *const fingerprint_key = "bench.machine", *const time_key = "bench.at";

static void add_number(struct strbuf *b, const struct run *machine, const char *key)
{
    strbuf_printf(b, "; %s %.0f", key, run_fact(machine, -1, key));
}

void bench_cache_init(struct bench_cache *c, const struct run *machine, int threads)
{
    strbuf_init(&c->path);
    strbuf_init(&c->fingerprint);
    strbuf_printf(&c->fingerprint, "%s; %s; %s; %d threads; gait %s, %s",
                  run_fact_text(machine, -1, "machine.cpu"),
                  run_fact_text(machine, -1, "machine.kernel"),
                  run_fact_text(machine, -1, "machine.isa"), threads, GAIT_VERSION,
                  GAIT_BUILD);
    add_number(&c->fingerprint, machine, "machine.cores_usable");
    add_number(&c->fingerprint, machine, "machine.cache_l1d_bytes");
    add_number(&c->fingerprint, machine, "machine.cache_l2_bytes");
    add_number(&c->fingerprint, machine, "machine.cache_l3_bytes");
    add_number(&c->fingerprint, machine, "machine.memory_total_bytes");
    struct content_hash_text name = content_hash_of(c->fingerprint.s, c->fingerprint.len);
    struct strbuf file;
    strbuf_init(&file);
    strbuf_printf(&file, "ceilings-%s.gait", name.s);
    char *path = cache_folder_path(file.s);
    if (path)
        strbuf_puts(&c->path, path);
    mem_free(path);
    strbuf_release(&file);
}

void bench_cache_release(struct bench_cache *c)
{
    strbuf_release(&c->path);
    strbuf_release(&c->fingerprint);
}

const char *bench_cache_load(const struct bench_cache *c, struct run *kept,
                             struct ceilings *all)
{
    struct err err = ERR_INIT;
    if (!c->path.len || run_file_look(c->path.s) != RUN_FILE_LOOK_RUN ||
        run_load(kept, c->path.s, RUN_PARTS_ALL, &err) ||
        strcmp(run_fact_text(kept, -1, fingerprint_key), c->fingerprint.s) != 0 ||
        !ceilings_from_facts(all, kept) || !ceilings_are_lasting(all))
        return NULL;
    return run_fact_text(kept, -1, time_key);
}

static void now_text(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(text, size, "%Y-%m-%d %H:%M UTC", &tm);
}

enum status bench_cache_save(const struct bench_cache *c, const struct ceilings *all,
                             struct err *err)
{
    char now[32];
    struct run run;
    if (!c->path.len)
        return STATUS_OK;
    run_init(&run);
    now_text(now, sizeof now);
    run_add_fact_text(&run, -1, fingerprint_key, c->fingerprint.s, ORIGIN_LISTED);
    run_add_fact_text(&run, -1, time_key, now, ORIGIN_MEASURED);
    ceilings_to_facts(&run, all);
    char *folder = path_folder(c->path.s);
    enum status st = file_make_folders(folder, err);
    if (!st)
        st = run_save(&run, c->path.s, err);
    mem_free(folder);
    run_release(&run);
    return st;
}
#endif
