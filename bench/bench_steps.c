/*
 * Steps of a training on demand, so that they can be alternated with somebody else's. See
 * bench/peers.
 *
 *   bench_steps CONFIG.yaml      each line on standard input is a number of steps; the
 *                                answer is a line of JSON: ms of each, peak_mib
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void must(enum status s, const struct err *err)
{
    if (s == STATUS_OK)
        return;
    fprintf(stderr, "bench_steps: %s\n", err->text);
    exit(1);
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void run_steps(struct trainer *t, int64_t *step, long n)
{
    struct strbuf out;
    struct json_writer w;
    struct err err = ERR_INIT;
    struct step_report report;
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_key(&w, "ms");
    json_begin_array(&w);
    for (long i = 0; i < n; i++) {
        int64_t begin_ns = clock_now_ns();
        must(trainer_step(t, (*step)++, &report, &err), &err);
        json_double(&w, (double)(clock_now_ns() - begin_ns) / 1e6, 6);
    }
    json_end(&w);
    json_field_double(&w, "loss", report.loss, 6);
    json_field_double(&w, "peak_mib", peak_mib(), 1);
    json_end(&w);
    printf("%s\n", out.s);
    fflush(stdout);
    strbuf_release(&out);
}

int main(int argc, char **argv)
{
    struct config config;
    struct err err = ERR_INIT;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    char line[64];
    int64_t step = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_steps CONFIG.yaml\n");
        return 2;
    }
    config_init(&config);
    must(config_read_yaml(&config, argv[1], &err), &err);
    must(config_check(&config, &err), &err);
    must(trainer_open(t, &config, &err), &err);
    while (fgets(line, sizeof line, stdin)) {
        long n = strtol(line, NULL, 10);
        run_steps(t, &step, n < 1 ? 1 : n);
    }
    trainer_close(t, STATUS_OK);
    config_release(&config);
    mem_free(t);
    return 0;
}
