/*
 * Runs a program and makes one of its file system calls fail.
 *
 *   inject --report FILE [--at N --fault NAME] -- PROGRAM ARGUMENT…
 *
 * Without --at, FILE lists the calls: number, name, what it creates, bytes, path. With
 * it, call N fails with the error NAME (ENOSPC, EIO, …), or, for "short", moves half of
 * its bytes; FILE then holds that call alone. Its last line says how the program ended.
 *
 * A seccomp filter stops the program at these calls only, so that it runs at nearly full
 * speed, and below the C library, so that stdio and SQLite are reached like any other.
 * Calls of the dynamic loader and of processes that the program starts are not counted.
 */
#include "faults/call_table.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILTER_MAX = 256, FAULT_SHORT = -1 };
enum { EXIT_BY_SIGNAL = 128, EXIT_OWN_FAILURE = 125 };

static struct injector {
    FILE *report;
    long at;   /* 0: none, only list */
    int fault; /* an errno, or FAULT_SHORT */
    pid_t program;
    long counted;
    pid_t leaving;      /* a thread whose call's result is still to be changed */
    struct iovec whole; /* writev: what stood at whole_at before it was cut */
    unsigned long long whole_at;
} job;

static const struct {
    const char *name;
    int number;
} fault_names[] = {
    {"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},       {"ENOMEM", ENOMEM},
    {"EMFILE", EMFILE}, {"ENOLCK", ENOLCK}, {"short", FAULT_SHORT},
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(EXIT_OWN_FAILURE);
}

static void set_filter(void)
{
    struct sock_filter code[FILTER_MAX];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < call_table_n; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                 (unsigned)call_table[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        die("cannot set a seccomp filter");
}

static pid_t start(char **argv)
{
    pid_t pid = fork();
    if (pid < 0)
        die("cannot fork");
    if (!pid) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
            die("cannot be traced");
        set_filter();
        execv(argv[0], argv);
        die(argv[0]);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        die("the program did not start");
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                   PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL |
                   PTRACE_O_TRACESYSGOOD;
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options) ||
        ptrace(PTRACE_CONT, pid, NULL, NULL))
        die("cannot trace");
    return pid;
}

static unsigned long long argument(const struct user_regs_struct *r, int i)
{
    const unsigned long long all[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
    return all[i];
}

/* A string of the program; cut where its memory ends. */
static void read_text(pid_t tid, unsigned long long at, char *text, size_t size)
{
    size_t n = 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    while (n + 1 < size && (!n || !memchr(text, '\0', n))) {
        size_t piece = page - (size_t)((at + n) % page);
        if (piece > size - 1 - n)
            piece = size - 1 - n;
        struct iovec to = {text + n, piece};
        struct iovec from = {(void *)(at + n), piece}; /* an address over there */
        ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
}

static void read_fd(pid_t tid, int fd, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, fd == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d",
             (int)tid, fd);
    ssize_t n = readlink(link, path, size - 1);
    path[n < 0 ? 0 : n] = '\0';
}

/* The file that a call is about, as an absolute path where it has one. */
static void read_path(pid_t tid, const struct call *c, const struct user_regs_struct *r,
                      char *path, size_t size)
{
    char name[PATH_MAX] = "", folder[PATH_MAX] = "";
    static const char *const streams[] = {"stdin", "stdout", "stderr"};
    if (c->path >= 0)
        read_text(tid, argument(r, c->path), name, sizeof name);
    if (c->fd >= 0 && !*name && argument(r, c->fd) <= STDERR_FILENO)
        snprintf(folder, sizeof folder, "%s", streams[argument(r, c->fd)]);
    else if (c->fd >= 0)
        read_fd(tid, (int)argument(r, c->fd), folder, sizeof folder);
    else if (c->path >= 0)
        read_fd(tid, AT_FDCWD, folder, sizeof folder);
    if (*name == '/' || !*folder)
        snprintf(path, size, "%s", name);
    else
        snprintf(path, size, "%s%s%s", folder, *name ? "/" : "", name);
}

static bool of_the_loader(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *end = strstr(name, ".so");
    return (end && (!end[3] || end[3] == '.')) || !strncmp(path, "/etc/ld.so.", 11) ||
           !strncmp(path, "/lib", 4) || !strncmp(path, "/usr/lib", 8);
}

static bool is_file_call(const struct call *c, const struct user_regs_struct *r)
{
    int command = (int)argument(r, 1);
    if (c->kind == CALL_MMAP)
        return (int)argument(r, 4) >= 0;
    if (c->kind == CALL_FCNTL)
        return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
               command == F_OFD_SETLKW;
    return true;
}

static bool creates(const struct call *c, const struct user_regs_struct *r)
{
    return c->kind == CALL_OPEN &&
           (c->flags < 0 ||
            (argument(r, c->flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))));
}

static unsigned long long length(const struct call *c, const struct user_regs_struct *r)
{
    return c->kind == CALL_READ || c->kind == CALL_WRITE ? argument(r, 2) : 0;
}

static void cut_vector(pid_t tid, struct user_regs_struct *r)
{
    if (argument(r, 2) > 1) {
        r->rdx /= 2;
        return;
    }
    struct iovec here = {&job.whole, sizeof job.whole};
    struct iovec there = {(void *)argument(r, 1), sizeof job.whole};
    if (process_vm_readv(tid, &here, 1, &there, 1, 0) != sizeof job.whole)
        die("cannot read a vector");
    struct iovec half = {job.whole.iov_base, (job.whole.iov_len + 1) / 2};
    here.iov_base = &half;
    if (process_vm_writev(tid, &here, 1, &there, 1, 0) != sizeof half)
        die("cannot cut a vector");
    job.whole_at = argument(r, 1);
    job.leaving = tid;
}

/* True where the call's end has to be seen too. */
static bool spoil(pid_t tid, const struct call *c, struct user_regs_struct *r)
{
    if (job.fault == FAULT_SHORT) {
        if (c->kind == CALL_WRITEV)
            cut_vector(tid, r);
        else
            r->rdx = (r->rdx + 1) / 2;
    } else if (c->kind == CALL_CLOSE) { /* Linux closes it whatever it says */
        job.leaving = tid;
    } else {
        r->orig_rax = (unsigned long long)-1; /* is not made */
        r->rax = (unsigned long long)-job.fault;
    }
    if (ptrace(PTRACE_SETREGS, tid, NULL, r))
        die("cannot change a call");
    return job.leaving == tid;
}

static void list_call(const struct call *c, const struct user_regs_struct *r,
                      const char *path)
{
    fprintf(job.report, "%ld\t%s\t%s\t%llu\t%s\n", job.counted, c->name,
            creates(c, r) ? "creates" : "-", length(c, r), path);
    fflush(job.report);
}

static bool is_ours(pid_t tid)
{
    char task[64];
    snprintf(task, sizeof task, "/proc/%d/task/%d", (int)job.program, (int)tid);
    return access(task, F_OK) == 0;
}

/* True where the call's end has to be seen too. */
static bool on_call(pid_t tid)
{
    struct user_regs_struct r;
    char path[2 * PATH_MAX + 2] = "";
    if (!is_ours(tid) || ptrace(PTRACE_GETREGS, tid, NULL, &r))
        return false;
    const struct call *c = call_find((long)r.orig_rax);
    if (!c || !is_file_call(c, &r))
        return false;
    read_path(tid, c, &r, path, sizeof path);
    if (of_the_loader(path))
        return false;
    job.counted++;
    bool now = job.counted == job.at;
    if (!job.at || now)
        list_call(c, &r, path);
    return now && spoil(tid, c, &r);
}

static void on_call_end(pid_t tid)
{
    struct user_regs_struct r;
    if (job.leaving != tid || ptrace(PTRACE_GETREGS, tid, NULL, &r))
        return;
    job.leaving = 0;
    if (job.whole_at) {
        struct iovec here = {&job.whole, sizeof job.whole};
        struct iovec there = {(void *)job.whole_at, sizeof job.whole};
        process_vm_writev(tid, &here, 1, &there, 1, 0);
        job.whole_at = 0;
        return;
    }
    r.rax = (unsigned long long)-job.fault;
    ptrace(PTRACE_SETREGS, tid, NULL, &r);
}

/* One stop of one thread; what it goes on with. */
static void on_stop(pid_t tid, int status)
{
    int signal_number = WSTOPSIG(status), event = status >> 16;
    bool to_its_end = false;
    if (event == PTRACE_EVENT_SECCOMP)
        to_its_end = on_call(tid);
    else if (signal_number == (SIGTRAP | 0x80))
        on_call_end(tid);
    bool ours = event || signal_number == (SIGTRAP | 0x80) || signal_number == SIGSTOP;
    ptrace(to_its_end ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL,
           (long)(ours ? 0 : signal_number));
}

static int follow(void)
{
    for (;;) {
        int status;
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0)
            die("cannot wait");
        if (WIFSTOPPED(status)) {
            on_stop(tid, status);
        } else if (tid == job.program) {
            bool killed = WIFSIGNALED(status);
            int number = killed ? WTERMSIG(status) : WEXITSTATUS(status);
            fprintf(job.report, "end\t%s\t%d\n", killed ? "signal" : "exit", number);
            return killed ? EXIT_BY_SIGNAL + number : number;
        }
    }
}

static bool read_options(int argc, char **argv, int *first)
{
    int i = 1;
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (!strcmp(argv[i], "--report"))
            job.report = fopen(argv[i + 1], "we");
        else if (!strcmp(argv[i], "--at"))
            job.at = strtol(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--fault"))
            for (size_t f = 0; f < sizeof fault_names / sizeof *fault_names; f++)
                job.fault = strcmp(fault_names[f].name, argv[i + 1]) != 0
                                ? job.fault
                                : fault_names[f].number;
        else
            return false;
    }
    *first = i + 1;
    return job.report && i + 1 < argc && !job.at == !job.fault;
}

int main(int argc, char **argv)
{
    int first = 0;
    if (!read_options(argc, argv, &first)) {
        fputs("usage: inject --report FILE [--at N --fault NAME] -- PROGRAM …\n", stderr);
        return EXIT_OWN_FAILURE;
    }
    job.program = start(argv + first);
    int code = follow();
    if (fclose(job.report))
        die("cannot write the report");
    return code;
}
