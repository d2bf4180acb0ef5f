#include "base/log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { URGENT_MAX = 1024 };

static bool quiet_wanted;
static int muted;
static bool status_shown;

void log_quiet(bool quiet)
{
    quiet_wanted = quiet;
}

void log_mute(bool mute)
{
    muted += mute ? 1 : -1;
}

static bool is_silent(void)
{
    return quiet_wanted || muted > 0;
}

bool log_on_terminal(void)
{
    return !is_silent() && isatty(STDERR_FILENO);
}

int log_columns(void)
{
    struct winsize size;
    if (!log_on_terminal() || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        return INT_MAX;
    return size.ws_col;
}

void log_status_clear(void)
{
    if (!status_shown || is_silent())
        return;
    fputs("\r\033[K", stderr);
    status_shown = false;
}

void log_line(const char *fmt, ...)
{
    if (is_silent())
        return;
    log_status_clear();
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

void log_status(const char *fmt, ...)
{
    if (!log_on_terminal())
        return;
    log_status_clear();
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fflush(stderr);
    status_shown = true;
}

/* Not through stdio, whose lock a thread may hold that waits for ever. */
void log_urgent(const char *fmt, ...)
{
    static const char clear[] = "\r\033[K"; /* the status line, if there is one */
    char text[URGENT_MAX];
    size_t len = isatty(STDERR_FILENO) ? sizeof clear - 1 : 0;
    memcpy(text, clear, len);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text + len, sizeof text - len, fmt, args);
    va_end(args);
    len += n < 0 ? 0 : (size_t)n;
    if (len > sizeof text - 1)
        len = sizeof text - 1; /* cut short */
    text[len++] = '\n';
    /* Nobody can be told that nobody can be told. */
    ssize_t ignored = write(STDERR_FILENO, text, len);
    (void)ignored;
}

bool log_stdout_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no && *no);
}
