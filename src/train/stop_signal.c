#include "train/stop_signal.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
/* What ends a training from outside; a closed terminal does too. */
static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = sizeof watched / sizeof *watched };
static struct sigaction before[WATCHED], before_file_size;

/* Exit code of a process that a signal ended, as shells count it. */
enum { EXIT_BY_SIGNAL = 128 };

static void on_signal(int number)
{
    static const char leaving[] =
        "\nfinishing this step, then leaving; once more leaves at once\n";
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
    for (int i = 0; i < WATCHED; i++)
        sigaction(watched[i], &action, &before[i]);
    /* A file that grows past its limit is an error to be told, not a death. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, &before_file_size);
}

int stop_signal_seen(void)
{
    return seen;
}

void stop_signal_release(void)
{
    for (int i = 0; i < WATCHED; i++)
        sigaction(watched[i], &before[i], NULL);
    sigaction(SIGXFSZ, &before_file_size, NULL);
}
