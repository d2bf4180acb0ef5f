/*
 * Kineto traces of any size whose analysis is known beforehand.
 *   generate_trace --steps 5 --flows --answers a.json -o trace.json
 *   generate_trace --ranks 8 --straggler 3 --answers a.json -o folder
 */
#include "gen_file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The largest delay of any rank, by step. */
static int64_t *slowest_of(const struct gen_options *o)
{
    int64_t *slowest_ns = mem_zalloc((size_t)o->steps, sizeof *slowest_ns);
    for (int64_t step = 0; step < o->steps; step++)
        for (int64_t rank = 0; rank < o->ranks; rank++) {
            int64_t extra_ns = job_extra_ns(o, rank, step);
            if (extra_ns > slowest_ns[step])
                slowest_ns[step] = extra_ns;
        }
    return slowest_ns;
}

static int64_t measure(struct gen_options o, int64_t steps)
{
    o.steps = steps;
    o.gzip = o.shuffle = false;
    int64_t *slowest_ns = slowest_of(&o);
    struct answers sum;
    answers_init(&sum, &o, 0);
    int64_t bytes = gen_file_write(&o, 0, slowest_ns, NULL, &sum);
    answers_release(&sum);
    mem_free(slowest_ns);
    return bytes;
}

/* As many steps as fit; sizes of steps differ little. */
static void steps_for_size(struct gen_options *o)
{
    int64_t few = measure(*o, 2), more = measure(*o, 10);
    int64_t a_step = (more - few) / 8, fixed = few - 2 * a_step;
    o->steps = (o->size_bytes - fixed) / a_step;
    if (o->steps < 1)
        o->steps = 1;
}

static void path_of_rank(char *path, size_t cap, const struct gen_options *o,
                         int64_t rank)
{
    const char *word = o->rank_in == RANK_IN_NAME ? "rank" : "part";
    snprintf(path, cap, "%s/%s%04lld.pt.trace.json%s", o->output, word, (long long)rank,
             o->gzip ? ".gz" : "");
}

static void write_rank(const struct gen_options *o, int64_t rank,
                       const int64_t *slowest_ns, FILE *answers)
{
    char path[4096];
    struct answers sum;
    snprintf(path, sizeof path, "%s", o->output);
    if (o->ranks > 1)
        path_of_rank(path, sizeof path, o, rank);
    answers_init(&sum, o, rank);
    sum.path = path;
    gen_file_write(o, rank, slowest_ns, path, &sum);
    if (answers) {
        fprintf(answers, "%s", rank ? ",\n" : "");
        answers_write(&sum, answers);
    }
    answers_release(&sum);
}

static FILE *open_answers(const struct gen_options *o)
{
    FILE *f = o->answers ? fopen(o->answers, "w") : NULL;
    if (o->answers && !f) {
        fprintf(stderr, "generate_trace: cannot write %s: %s\n", o->answers,
                strerror(errno));
        exit(4);
    }
    if (f)
        fprintf(f,
                "{\"format\":\"gait-generated-answers\",\"marks\":%d,\"steps\":%lld,"
                "\"unit_ns\":%lld,\"world\":%lld,\"rank_in\":%d,\"bare\":%s,"
                "\"vendor\":\"%s\",\n\"straggler\":%lld,\"slow_ns\":%lld,"
                "\"cause\":\"%s\",\n\"ranks\":[\n",
                o->marks, (long long)o->steps, (long long)gen_unit_ns(o),
                (long long)o->world, o->rank_in, o->bare ? "true" : "false",
                o->vendor == VENDOR_AMD ? "amd" : "nvidia", (long long)o->straggler,
                (long long)(o->straggler < 0 ? 0 : o->slow_ns),
                o->cause == CAUSE_INPUT ? "input" : "compute");
    return f;
}

int main(int argc, char **argv)
{
    struct gen_options o;
    gen_options_parse(&o, argc, argv);
    if (o.size_bytes)
        steps_for_size(&o);
    if (o.ranks > 1 && mkdir(o.output, 0755) && errno != EEXIST) {
        fprintf(stderr, "generate_trace: cannot make %s: %s\n", o.output,
                strerror(errno));
        return 4;
    }
    int64_t *slowest_ns = slowest_of(&o);
    FILE *answers = open_answers(&o);
    for (int64_t rank = 0; rank < o.ranks; rank++)
        write_rank(&o, rank, slowest_ns, answers);
    mem_free(slowest_ns);
    if (answers) {
        fprintf(answers, "\n]}\n");
        if (fclose(answers)) {
            fprintf(stderr, "generate_trace: cannot write %s\n", o.answers);
            return 4;
        }
    }
    return 0;
}
