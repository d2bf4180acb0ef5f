#include "cli/job_failure.h"

#include "base/log.h"
#include "record/record_folder.h"

#include <stdio.h>
#include <string.h>

enum { LAST_BYTES = 4096, LAST_LINES = 20 };
/* 1 for the clock, 5 of warm-up, 1 + 1 untraced, 1 + 2 traced: docs/verify.md */
enum { STEPS_BEFORE_TURNS = 11 };

/* --- what it printed last --- */

/* Where its last lines begin. */
static const char *last_lines(const char *text, size_t len)
{
    const char *p = text + len;
    for (int lines = 0; p > text; p--)
        if (p[-1] == '\n' && p != text + len && ++lines == LAST_LINES)
            break;
    return p;
}

/* A bar before each line; what a terminal would obey is not shown. */
static void print_indented(const char *p)
{
    bool begins = true;
    for (; *p; p++) {
        if (begins)
            fputs("  | ", stderr);
        begins = *p == '\n';
        bool odd = ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f;
        fputc(odd ? '?' : *p, stderr);
    }
    if (!begins)
        fputc('\n', stderr);
}

static void show_last_words(const struct job_named *j)
{
    char text[LAST_BYTES + 1];
    FILE *f = fopen(j->output, "r");
    if (!f)
        return;
    if (fseek(f, -LAST_BYTES, SEEK_END))
        rewind(f); /* it is shorter */
    size_t len = fread(text, 1, LAST_BYTES, f);
    fclose(f);
    for (size_t i = 0; i < len; i++)
        if (!text[i])
            text[i] = '?';
    text[len] = '\0';
    log_status_clear();
    if (len)
        fprintf(stderr, "The %s job printed last:\n", j->which);
    print_indented(last_lines(text, len));
}

/* --- why --- */

static const char *hint_of(int exit_code)
{
    switch (exit_code) {
    case 126:
        return "it cannot be run: give the whole command, as in 'python train.py'";
    case 127:
        return "no such program: is it spelt right, and in PATH? Give the whole command, "
               "as in 'python train.py'";
    case 137:
        return "it was killed; both jobs are in memory at once: is there enough?";
    default:
        return "make it run without gait first";
    }
}

enum status job_failed(struct err *err, const struct job_named *j, int exit_code)
{
    show_last_words(j);
    return err_set(err, STATUS_INPUT, "the %s job (%.160s) failed with exit code %d; %s",
                   j->which, j->command, exit_code, hint_of(exit_code));
}

enum status job_is_silent(struct err *err, const struct job_named *j, double seconds,
                          bool has_stepped)
{
    show_last_words(j);
    if (has_stepped)
        return err_set(err, STATUS_INPUT,
                       "the %s job (%.160s) did not complete its turn in %g s; if that "
                       "is how long it evaluates or saves: --patience SECONDS",
                       j->which, j->command, seconds);
    return err_set(err, STATUS_INPUT,
                   "the %s job (%.160s) did not take its first %d steps in %g s; does it "
                   "train with a torch.optim optimizer? If it only takes longer: "
                   "--patience SECONDS",
                   j->which, j->command, STEPS_BEFORE_TURNS, seconds);
}

enum status job_took_no_turn(struct err *err, const struct job_named *j)
{
    struct run run;
    struct record_outcome o;
    run_init(&run);
    enum status st = record_folder_read(&run, &o, j->folder, err);
    if (!st && o.steps > 0)
        st =
            err_set(err, STATUS_INPUT,
                    "the %s job (%.160s) ended by itself after %lld optimizer steps; its "
                    "turns begin after %d or more: let it train longer",
                    j->which, j->command, (long long)o.steps, STEPS_BEFORE_TURNS);
    else if (!st)
        st = err_set(err, STATUS_INPUT,
                     "the %s job (%.160s) took no step that was seen. %s", j->which,
                     j->command, o.why.s);
    if (!o.steps)
        show_last_words(j);
    record_outcome_release(&o);
    run_release(&run);
    return st;
}
