#include "cli/study_stages.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LEAST_S = 2;
static const double SECONDS_MAX = 1e8; /* of a stage: more was not written by us */
/* What a stage prints, until it is whole. */
#define PRINTED "printed.tmp"
/* Of the budget, kept for the stages that have none of their own: profile, report. */
static const double RESERVE = 0.1;

struct progress {
    const struct study_plan *plan;
    struct study_stage done[STUDY_STAGES_MAX];
    char reason[STUDY_STAGES_MAX][160];
    const char *left_out[STUDY_STAGES_MAX]; /* or NULL */
    int64_t begin_ns;
};

static double left_s(const struct progress *p)
{
    return p->plan->budget_s - (double)(clock_now_ns() - p->begin_ns) / 1e9;
}

/* --- the child --- */

static _Noreturn void become(char *const *words, const char *folder, const char *output)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a study that is killed leaves nobody behind */
    int fd = open(output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && !chdir(folder))
        execv("/proc/self/exe", words);
    _exit(127);
}

/* How it ended: its exit code, or 128 plus a signal. */
static int run_child(char *const *words, const char *folder, const char *output)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        become(words, folder, output);
    if (pid < 0)
        return 127;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- a stage --- */

static double share_left(const struct progress *p, size_t from)
{
    double sum = 0;
    for (size_t i = from; i < p->plan->n; i++)
        if (isnan(p->done[i].seconds))
            sum += p->plan->stage[i].share;
    return sum;
}

static double budget_of(const struct progress *p, size_t i)
{
    double share = p->plan->stage[i].share / share_left(p, i);
    return fmax(LEAST_S, share * (left_s(p) - RESERVE * p->plan->budget_s));
}

static size_t make_words(const struct progress *p, size_t i, char **words, char *budget,
                         size_t room)
{
    const struct study_plan_stage *stage = &p->plan->stage[i];
    size_t n = 0;
    words[n++] = "gait";
    for (size_t k = 0; stage->words[k]; k++)
        words[n++] = (char *)(uintptr_t)stage->words[k]; /* execv's signature */
    if (stage->share > 0) {
        snprintf(budget, room, "%.0f", budget_of(p, i));
        words[n++] = "--budget";
        words[n++] = budget;
    }
    if (p->plan->quiet)
        words[n++] = "-q";
    words[n] = NULL;
    return n;
}

static char *join(char *const *words, size_t n)
{
    struct strbuf out;
    strbuf_init(&out);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&out, "%s%s", i ? " " : "", words[i]);
    char *text = strbuf_detach(&out);
    strbuf_release(&out);
    return text;
}

static bool is_answer(const struct study_plan_stage *stage, int code)
{
    return code == 0 || (code == 1 && stage->gates);
}

/* A result that was printed takes its name when it is whole. */
static bool keep_output(const struct study_plan_stage *stage, const char *from,
                        const char *to, int code)
{
    struct stat st;
    if (is_answer(stage, code) && !stat(from, &st) && st.st_size > 0)
        return !rename(from, to);
    unlink(from);
    return false;
}

static void run_stage(struct progress *p, size_t i)
{
    const struct study_plan_stage *stage = &p->plan->stage[i];
    char *words[STUDY_WORDS_MAX + 4], budget[32];
    size_t n = make_words(p, i, words, budget, sizeof budget);
    char *result = path_join(p->plan->folder, stage->file);
    char *printed = stage->from_output ? path_join(p->plan->folder, PRINTED) : NULL;
    int64_t begin_ns = clock_now_ns();
    mem_free((char *)(uintptr_t)p->done[i].command);
    p->done[i].command = join(words, n);
    log_line("[%zu of %zu] %s: %s; %s of the budget left", i + 1, p->plan->n, stage->name,
             stage->answers, left_s(p) > 0 ? unit_ns_of(left_s(p) * 1e9).s : "nothing");
    unlink(result); /* of an earlier time: this one may fail */
    int code = run_child(words, p->plan->folder, printed);
    bool there = printed ? keep_output(stage, printed, result, code)
                         : is_answer(stage, code) && file_exists(result);
    p->done[i].seconds = (double)(clock_now_ns() - begin_ns) / 1e9;
    if (!there)
        snprintf(p->reason[i], sizeof p->reason[i],
                 "it ended with exit code %d; run it by itself to see why", code);
    mem_free(result);
    mem_free(printed);
}

/* --- what is done --- */

static enum status write_state(const struct progress *p, struct err *err)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-study");
    json_field_int(&w, "version", STUDY_VERSION);
    json_field_string(&w, "config", p->plan->config);
    json_field_double(&w, "budget_s", p->plan->budget_s, 3);
    json_key(&w, "stages");
    json_begin_array(&w);
    for (size_t i = 0; i < p->plan->n; i++) {
        json_begin_object(&w);
        json_field_string(&w, "name", p->plan->stage[i].name);
        json_field_string(&w, "answers", p->plan->stage[i].answers);
        json_field_string(&w, "file", p->plan->stage[i].file);
        json_field_string(&w, "command", p->done[i].command);
        json_field_double(&w, "seconds", p->done[i].seconds, 3);
        json_field_string(&w, "reason", p->reason[i]);
        json_field_text_or_null(&w, "left_out", p->left_out[i]);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    char *path = path_join(p->plan->folder, STUDY_FILE);
    enum status st = file_write(path, out.s, out.len, err);
    mem_free(path);
    strbuf_release(&out);
    return st;
}

/* What an earlier process did of it. */
static void read_state(struct progress *p)
{
    struct study s;
    for (size_t i = 0; i < p->plan->n; i++)
        p->done[i] = (struct study_stage){.command = mem_strdup(""), .seconds = NAN};
    if (!study_is_folder(p->plan->folder) || study_read(&s, p->plan->folder, NULL))
        return;
    for (size_t i = 0; i < p->plan->n; i++)
        for (size_t k = 0; k < s.stages; k++) {
            char *result = path_join(p->plan->folder, p->plan->stage[i].file);
            if (!strcmp(s.stage[k].name, p->plan->stage[i].name) &&
                s.stage[k].seconds >= 0 && s.stage[k].seconds < SECONDS_MAX &&
                !*s.stage[k].reason && file_exists(result)) {
                mem_free((char *)(uintptr_t)p->done[i].command);
                p->done[i].command = mem_strdup(s.stage[k].command);
                p->done[i].seconds = s.stage[k].seconds;
            }
            mem_free(result);
        }
    study_release(&s);
}

/* Of a study that was killed. */
static void remove_printed(const char *folder)
{
    char *path = path_join(folder, PRINTED);
    unlink(path);
    mem_free(path);
}

/* One study a folder at a time. The lock ends with the process. */
static enum status lock_folder(const char *folder, struct err *err)
{
    char *path = path_join(folder, ".lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    enum status st = fd < 0 ? file_err(err, "write", path) : STATUS_OK;
    if (!st && flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        st = err_set(err, STATUS_USAGE, "another study runs in %s; wait for its end",
                     folder);
    }
    mem_free(path);
    return st;
}

/* Did the search find nothing that is faster? */
static bool is_unchanged(const char *folder)
{
    struct study s;
    if (study_read(&s, folder, NULL))
        return false;
    bool unchanged = s.searched && !s.faster;
    study_release(&s);
    return unchanged;
}

/* What an earlier search was proved by is no proof of this one. */
static void leave_out(struct progress *p, size_t i)
{
    char *result = path_join(p->plan->folder, p->plan->stage[i].file);
    unlink(result);
    mem_free(result);
    p->done[i].seconds = NAN;
    p->left_out[i] = "nothing was changed";
    log_line("[%zu of %zu] %s: left out, as nothing was changed", i + 1, p->plan->n,
             p->plan->stage[i].name);
}

/* It reads the tuned config, but the search failed or did not run. */
static bool lacks_search(const struct progress *p, size_t i)
{
    if (!p->plan->stage[i].of_tuned)
        return false;
    for (size_t k = 0; k < i; k++)
        if (p->plan->stage[k].searches && *p->reason[k])
            return true;
    return false;
}

static void do_stage(struct progress *p, size_t i)
{
    const struct study_plan_stage *stage = &p->plan->stage[i];
    if (lacks_search(p, i))
        snprintf(p->reason[i], sizeof p->reason[i],
                 "the search has no result: the same command goes on with both");
    else if (stage->share > 0 && left_s(p) < LEAST_S)
        snprintf(p->reason[i], sizeof p->reason[i],
                 "the budget ended before it: the same command goes on with it");
    else
        run_stage(p, i);
    if (*p->reason[i])
        log_line("[%zu of %zu] %s: %s", i + 1, p->plan->n, stage->name, p->reason[i]);
}

enum status study_stages_run(const struct study_plan *plan, struct err *err)
{
    struct progress *p = mem_zalloc(1, sizeof *p);
    p->plan = plan;
    p->begin_ns = clock_now_ns();
    enum status st = lock_folder(plan->folder, err);
    read_state(p);
    if (!st)
        st = write_state(p, err);
    if (!st)
        remove_printed(plan->folder);
    bool searched = false;
    for (size_t i = 0; i < plan->n && !st; i++) {
        const struct study_plan_stage *stage = &plan->stage[i];
        bool again = stage->always || (stage->of_tuned && searched);
        if (stage->of_change && is_unchanged(plan->folder))
            leave_out(p, i);
        else if (isfinite(p->done[i].seconds) && !again)
            log_line("[%zu of %zu] %s: done before", i + 1, plan->n, stage->name);
        else {
            do_stage(p, i);
            searched |= stage->searches;
        }
        st = write_state(p, err);
    }
    for (size_t i = 0; i < plan->n; i++)
        mem_free((char *)(uintptr_t)p->done[i].command);
    mem_free(p);
    return st;
}
