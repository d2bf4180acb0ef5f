#include "cli/record_job.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sent to a program to end it or to tell it something. The terminal sends the first two
 * to the whole group: the job has them already. */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static volatile pid_t job_pid;

static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    bool from_a_process = info->si_code <= 0; /* SI_USER, SI_QUEUE, SI_TKILL */
    if (from_a_process && job_pid > 0) {
        int saved = errno;
        kill(job_pid, signal_number);
        errno = saved;
    }
}

/* What was ignored when we began (nohup) stays ignored, for the job too. */
static void watch_signals(struct sigaction *before)
{
    struct sigaction ours = {.sa_sigaction = pass_on,
                             .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&ours.sa_mask);
    for (int i = 0; i < PASSED_ON; i++) {
        sigaction(passed_on[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &ours, NULL);
    }
}

static void restore_signals(const struct sigaction *before)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before[i], NULL);
}

/* In the child. Comes back only as a number in the pipe: why it did not start. */
static _Noreturn void become(char **argv, const struct job_variable *variables,
                             size_t n_variables, int report_fd)
{
    signal(SIGXFSZ, SIG_DFL); /* main() ignores it, for itself */
    int failed = 0;
    for (size_t i = 0; i < n_variables && !failed; i++)
        if (setenv(variables[i].name, variables[i].value, 1))
            failed = errno;
    if (!failed) {
        execvp(argv[0], argv);
        failed = errno;
    }
    ssize_t written = write(report_fd, &failed, sizeof failed);
    _exit(written == (ssize_t)sizeof failed ? 127 : 126);
}

static enum status did_not_start(struct err *err, const char *program, int why)
{
    const char *hint = why == ENOENT ? "; is it spelt right, and in PATH?" : "";
    return err_set(err, STATUS_ENVIRONMENT, "cannot start %s: %s%s", program,
                   strerror(why), hint);
}

/* 0 where the program started: then exec has closed the other end. */
static int read_report(int fd)
{
    int why = 0;
    ssize_t got;
    do
        got = read(fd, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof why ? why : 0;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            BUG("waitpid: %s", strerror(errno));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Signals wait until the child's number is known, else one could be lost. */
static enum status start(char **argv, const struct job_variable *variables,
                         size_t n_variables, const struct sigaction *before,
                         struct err *err)
{
    int report[2];
    sigset_t all, mask;
    if (pipe2(report, O_CLOEXEC))
        return err_set(err, STATUS_ENVIRONMENT, "cannot make a pipe: %s",
                       strerror(errno));
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0) {
        restore_signals(before);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        become(argv, variables, n_variables, report[1]);
    }
    int why = pid < 0 ? errno : 0;
    job_pid = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[1]);
    if (!why)
        why = read_report(report[0]);
    close(report[0]);
    if (!why)
        return STATUS_OK;
    if (pid > 0)
        wait_for(pid);
    return did_not_start(err, argv[0], why);
}

enum status record_job_run(const char *const *words, size_t n,
                           const struct job_variable *variables, size_t n_variables,
                           int *exit_code, struct err *err)
{
    struct sigaction before[PASSED_ON];
    if (!n)
        BUG("a job without a program");
    char **argv = mem_alloc((n + 1) * sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[i] = mem_strdup(words[i]);
    argv[n] = NULL;
    watch_signals(before);
    enum status st = start(argv, variables, n_variables, before, err);
    if (!st)
        *exit_code = wait_for(job_pid);
    job_pid = 0;
    restore_signals(before);
    for (size_t i = 0; i < n; i++)
        mem_free(argv[i]);
    mem_free(argv);
    return st;
}
