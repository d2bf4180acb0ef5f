#include "cli/record_job.h"

#include "cli/patient_threads.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text_fit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sent to a program to end it or to tell it something. The terminal sends the first two
 * to the whole group: a job in it has them already. */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static const double TERM_PATIENCE_S = 5; /* then it is killed */

/* As kill() takes them: a process, or minus a group; 0: none. */
static volatile pid_t receivers[RECORD_JOBS_MAX];
static volatile sig_atomic_t told_to_end;
static struct sigaction before_us[PASSED_ON];

/* --- signals --- */

static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    bool from_a_process = info->si_code <= 0; /* SI_USER, SI_QUEUE, SI_TKILL */
    if (signal_number != SIGUSR1 && signal_number != SIGUSR2)
        told_to_end = signal_number;
    for (int i = 0; i < RECORD_JOBS_MAX; i++)
        if (receivers[i] < 0 || (receivers[i] > 0 && from_a_process))
            kill(receivers[i], signal_number);
    errno = saved;
}

/* What was ignored when we began (nohup) stays ignored, for the job too. */
void record_jobs_begin(void)
{
    struct sigaction ours = {.sa_sigaction = pass_on,
                             .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&ours.sa_mask);
    told_to_end = 0;
    for (int i = 0; i < PASSED_ON; i++) {
        sigaction(passed_on[i], NULL, &before_us[i]);
        if (before_us[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &ours, NULL);
    }
}

void record_jobs_end(void)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before_us[i], NULL);
}

int record_jobs_signal(void)
{
    return told_to_end;
}

static void add_receiver(pid_t to)
{
    for (int i = 0; i < RECORD_JOBS_MAX; i++)
        if (!receivers[i]) {
            receivers[i] = to;
            return;
        }
    BUG("more than %d jobs", RECORD_JOBS_MAX);
}

static void remove_receiver(pid_t to)
{
    for (int i = 0; i < RECORD_JOBS_MAX; i++)
        if (receivers[i] == to)
            receivers[i] = 0;
}

static pid_t receiver_of(const struct record_job *j)
{
    return j->apart ? -j->pid : j->pid;
}

/* --- starting --- */

static int put_at(const char *path, int flags, int fd)
{
    int opened = open(path, flags | O_CLOEXEC, 0600);
    return opened < 0 || dup2(opened, fd) < 0 ? errno : 0;
}

static int print_into_file(const char *output)
{
    int failed = put_at(output, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
    return failed || dup2(STDOUT_FILENO, STDERR_FILENO) >= 0 ? failed : errno;
}

static int print_into_pipes(const int *pipes)
{
    signal(SIGPIPE, SIG_DFL); /* whoever has pipes ignores it, for itself */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    bool put = dup2(pipes[0], STDOUT_FILENO) >= 0 && dup2(pipes[1], STDERR_FILENO) >= 0;
    return put ? 0 : errno;
}

static int go_apart(const struct job_command *c)
{
    int failed = setpgid(0, 0) ? errno : 0;
    if (!failed)
        failed = put_at("/dev/null", O_RDONLY, STDIN_FILENO);
    if (!failed)
        failed = c->output ? print_into_file(c->output) : print_into_pipes(c->pipes);
    return failed;
}

static bool is_apart(const struct job_command *c)
{
    return c->output || c->pipes;
}

/* In the child. Comes back only as a number in the pipe: why it did not start. */
static _Noreturn void become(char **argv, const struct job_command *c, int report_fd)
{
    signal(SIGXFSZ, SIG_DFL); /* main() ignores it, for itself */
    patient_threads_not_for_this();
    int failed = is_apart(c) ? go_apart(c) : 0;
    if (!failed && c->folder && chdir(c->folder))
        failed = errno;
    for (size_t i = 0; i < c->n_variables && !failed; i++)
        if (setenv(c->variables[i].name, c->variables[i].value, 1))
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
    if (text_ends_with(program, ".py") && !strchr(program, ' '))
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot start %s: %s; Python runs a Python file: python %s",
                       program, strerror(why), program);
    const char *hint = "";
    if (why == ENOENT)
        hint = strchr(program, ' ')
                   ? "; program and arguments are words of their own, without quotes "
                     "around all of them"
                   : "; is it spelt right, and in PATH?";
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

static bool wait_once(struct record_job *j, int options)
{
    int status;
    pid_t got;
    while ((got = waitpid(j->pid, &status, options)) < 0)
        if (errno != EINTR)
            BUG("waitpid: %s", strerror(errno));
    if (!got)
        return false;
    remove_receiver(receiver_of(j));
    j->ended = true;
    j->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

/* Signals wait until the child's number is known, else one could be lost. */
static enum status start(struct record_job *j, char **argv, const struct job_command *c,
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
        record_jobs_end();
        sigprocmask(SIG_SETMASK, &mask, NULL);
        become(argv, c, report[1]);
    }
    int why = pid < 0 ? errno : 0;
    if (pid > 0) {
        *j = (struct record_job){.pid = pid, .apart = is_apart(c)};
        if (j->apart) /* the child does it too: whoever comes first */
            setpgid(pid, pid);
        add_receiver(receiver_of(j));
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[1]);
    if (!why)
        why = read_report(report[0]);
    close(report[0]);
    if (!why)
        return STATUS_OK;
    if (pid > 0)
        wait_once(j, 0);
    return did_not_start(err, argv[0], why);
}

enum status record_job_start(struct record_job *out, const struct job_command *command,
                             struct err *err)
{
    size_t n = command->n;
    if (!n)
        BUG("a job without a program");
    char **argv = mem_alloc((n + 1) * sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[i] = mem_strdup(command->words[i]);
    argv[n] = NULL;
    *out = (struct record_job){0};
    enum status st = start(out, argv, command, err);
    for (size_t i = 0; i < n; i++)
        mem_free(argv[i]);
    mem_free(argv);
    return st;
}

/* --- ending --- */

bool record_job_has_ended(struct record_job *j)
{
    return !j->pid || j->ended || wait_once(j, WNOHANG);
}

void record_job_tell(const struct record_job *j, int signal_number)
{
    if (j->apart && !j->ended)
        kill(-j->pid, signal_number);
}

static bool ends_within(struct record_job *j, double patience_s)
{
    static const struct timespec pause = {.tv_nsec = 10000000};
    int64_t until_ns = clock_now_ns() + (int64_t)(patience_s * 1e9);
    while (!record_job_has_ended(j)) {
        if (clock_now_ns() > until_ns)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void record_job_stop(struct record_job *j, double patience_s)
{
    if (!j->apart)
        return;
    bool ended = ends_within(j, patience_s);
    if (!ended) {
        kill(-j->pid, SIGTERM);
        ended = ends_within(j, TERM_PATIENCE_S);
    }
    kill(-j->pid, SIGKILL); /* also what its first process left behind */
    if (!ended)
        wait_once(j, 0);
}

enum status record_job_run(const struct job_command *command, int *exit_code,
                           struct err *err)
{
    struct record_job j;
    record_jobs_begin();
    enum status st = record_job_start(&j, command, err);
    if (!st) {
        wait_once(&j, 0);
        *exit_code = j.exit_code;
    }
    record_jobs_end();
    return st;
}
