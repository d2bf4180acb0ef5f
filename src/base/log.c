#include "base/log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool quiet_wanted;
static bool status_shown;

void log_quiet(bool quiet)
{
    quiet_wanted = quiet;
}

bool log_on_terminal(void)
{
    return !quiet_wanted && isatty(STDERR_FILENO);
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
    if (status_shown)
        fputs("\r\033[K", stderr);
    status_shown = false;
}

void log_line(const char *fmt, ...)
{
    if (quiet_wanted)
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

bool log_stdout_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no && *no);
}
