/* Everything that a signal handler calls here may be called from one (signal-safety(7)):
 * write, tcsetattr, tcgetpgrp, getpgrp, raise, sigaction. */
#include "top/top_terminal.h"

#include "base/file.h"
#include "base/new_file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen, cleared; no cursor; a line that is too long is cut, not wrapped. */
static const char enter_text[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave_text[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static struct termios before;
static volatile sig_atomic_t taken, resized, leave_asked;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
/* Crashes, and what ends a process unless it asks otherwise. */
static const int crashing[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,   SIGABRT, SIGTRAP,
                               SIGSYS,  SIGXCPU, SIGXFSZ, SIGUSR1,  SIGUSR2, SIGALRM,
                               SIGPIPE, SIGPROF, SIGPOLL, SIGVTALRM};
enum {
    N_ENDING = sizeof ending / sizeof *ending,
    N_CRASHING = sizeof crashing / sizeof *crashing
};
static struct sigaction ending_before[N_ENDING], crashing_before[N_CRASHING];
static struct sigaction stop_before, resize_before;

static void put(const char *text, size_t len)
{
    /* A terminal that is gone needs nothing any more. */
    ssize_t ignored = write(STDOUT_FILENO, text, len);
    (void)ignored;
}

static void set_keys_at_once(void)
{
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Ctrl-C and Ctrl-Z stay signals */
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void enter(void)
{
    taken = 1;
    set_keys_at_once();
    put(enter_text, sizeof enter_text - 1);
}

static void leave(void)
{
    if (!taken)
        return;
    taken = 0;
    put(leave_text, sizeof leave_text - 1);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void on_ending(int number)
{
    (void)number;
    leave_asked = 1;
}

static void on_resize(int number)
{
    (void)number;
    resized = 1;
}

/* SA_RESETHAND: the second time it ends the process as it would have. */
static void on_crash(int number)
{
    leave();
    raise(number);
}

/* Another job has the terminal. */
static bool in_background(void)
{
    pid_t owner = tcgetpgrp(STDIN_FILENO);
    if (owner < 0)
        leave_asked = 1; /* there is none any more */
    return owner >= 0 && owner != getpgrp();
}

/* Ctrl-Z: the shell gets its terminal, and `fg` gets the screen back. `bg` stops it again,
 * and `kill` ends it (the shell continues it for that) without touching the screen. */
static void on_stop(int number)
{
    int error = errno;
    (void)number;
    leave();
    do
        raise(SIGSTOP);
    while (!leave_asked && in_background());
    if (!leave_asked)
        enter();
    resized = 1; /* all of it is drawn anew */
    errno = error;
}

static void handle(int number, void (*handler)(int), int flags, struct sigaction *old)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, old);
}

bool top_terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

enum status top_terminal_take(struct err *err)
{
    static bool is_registered;
    if (tcgetattr(STDIN_FILENO, &before))
        return file_err(err, "use", "the terminal");
    leave_asked = resized = 0;
    for (int i = 0; i < N_ENDING; i++)
        handle(ending[i], on_ending, 0, &ending_before[i]);
    for (int i = 0; i < N_CRASHING; i++) {
        handle(crashing[i], on_crash, (int)SA_RESETHAND | SA_NODEFER,
               &crashing_before[i]);
        if (crashing_before[i].sa_handler == SIG_IGN) /* it ends nothing */
            sigaction(crashing[i], &crashing_before[i], NULL);
    }
    handle(SIGWINCH, on_resize, 0, &resize_before);
    handle(SIGTSTP, on_stop, 0, &stop_before);
    if (!is_registered)
        atexit(leave); /* a refused allocation exits */
    is_registered = true;
    enter();
    return STATUS_OK;
}

void top_terminal_give_back(void)
{
    leave();
    for (int i = 0; i < N_ENDING; i++)
        sigaction(ending[i], &ending_before[i], NULL);
    for (int i = 0; i < N_CRASHING; i++)
        sigaction(crashing[i], &crashing_before[i], NULL);
    sigaction(SIGWINCH, &resize_before, NULL);
    sigaction(SIGTSTP, &stop_before, NULL);
}

void top_terminal_size(int *columns, int *rows)
{
    struct winsize size;
    bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row;
    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

enum top_event top_terminal_wait(int timeout_ms, char *key)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = leave_asked || resized ? 0 : poll(&input, 1, timeout_ms);
    if (leave_asked)
        return TOP_EVENT_LEAVE;
    if (resized) {
        resized = 0;
        return TOP_EVENT_RESIZED;
    }
    if (ready <= 0)
        return TOP_EVENT_TIME;
    /* Readable and empty: the other end is closed. */
    return read(STDIN_FILENO, key, 1) == 1 ? TOP_EVENT_KEY : TOP_EVENT_LEAVE;
}

/* In one write: no flicker. A line is cleared before it is written, for behind a full one
 * the cursor stands on its last letter. */
void top_terminal_show(const struct strbuf *lines, int rows)
{
    struct strbuf out;
    if (!taken)
        return;
    strbuf_init(&out);
    strbuf_puts(&out, "\033[H");
    const char *at = lines->s;
    int n_lines = 0;
    for (; n_lines < rows && at; n_lines++) {
        const char *end = strchr(at, '\n');
        strbuf_puts(&out, n_lines ? "\r\n\033[K" : "\033[K");
        strbuf_add(&out, at, end ? (size_t)(end - at) : strlen(at));
        at = end ? end + 1 : NULL;
    }
    if (n_lines < rows)
        strbuf_puts(&out, "\r\n\033[J");
    if (!write_fully(STDOUT_FILENO, out.s, out.len))
        leave_asked = 1;
    strbuf_release(&out);
}
