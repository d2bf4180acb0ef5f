/* Finds the command, runs it, prints its error; the status is the exit code. */
#include "base/address_space.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/args.h"
#include "cli/help.h"
#include "cli/patient_threads.h"
#include "cli/standard_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status run_command(const struct command *c, char **words, int n,
                               struct err *err)
{
    struct args args;
    enum status st = args_parse(&args, c, words, n, err);
    if (!st) {
        log_quiet(args.quiet);
        if (args.help)
            help_print(c);
        else
            st = c->run(&args, err);
    }
    args_release(&args);
    return st;
}

/* Names of commands have neither, so a mistyped path is told as one. */
static bool is_path(const char *word)
{
    return word[0] != '-' && (strchr(word, '/') || strchr(word, '.'));
}

static enum status run_words(char **words, int n, struct err *err)
{
    const char *name = n ? words[0] : "help";
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version"))
        name = "version";
    if (n && is_path(name)) /* the first thing that anyone tries */
        return run_command(command_find("analyze", err), words, n, err);
    const struct command *c = command_find(name, err);
    return c ? run_command(c, words + 1, n ? n - 1 : 0, err) : err->status;
}

/* Names from files stand in messages; one message is one line. */
static void print_error(struct err *err)
{
    for (char *p = err->text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    log_status_clear();
    fprintf(stderr, "gait: %s\n", err->text);
}

/* A file opened later would become stdout or stderr, and messages would end up in it.
 * Opened to read only, so that writing to what was closed still fails. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    fill_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error, not a death */
#ifdef GAIT_TRAIN
    patient_threads(argv);
#endif
    standard_output_begin();
    enum status st = address_space_begin(&err);
    if (!st)
        st = run_words(argv + 1, argc ? argc - 1 : 0, &err);
    errno = standard_output_end();
    if (errno && !*err.text) /* also of a gate that failed: its findings are lost */
        st = file_err(&err, "write", "the result to stdout");
    if (st && *err.text)
        print_error(&err);
    return (int)st;
}
