#include "train/stop_signal.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static struct sigaction before_int, before_term;

/* Exit code of a process that a signal ended, as shells count it. */
enum { EXIT_BY_SIGNAL = 128 };

static void on_signal(int number)
{
    static const char leaving[] =
        "\nfinishing this step, then saving; once more leaves at once\n";
    if (seen)
        _exit(EXIT_BY_SIGNAL + number);
    seen = number;
    /* Only a hint: a terminal that cannot be written to changes nothing. */
    ssize_t ignored = write(STDERR_FILENO, leaving, sizeof leaving - 1);
    (void)ignored;
}

void stop_signal_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    seen = 0;
    sigaction(SIGINT, &action, &before_int);
    sigaction(SIGTERM, &action, &before_term);
}

int stop_signal_seen(void)
{
    return seen;
}

void stop_signal_release(void)
{
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
}
