#include "cli/patient_threads.h"

#include "cli/command.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libgomp spins 300,000 rounds before a thread sleeps: free on an idle machine, ruin on a
 * busy one, where the spinner keeps the core from the thread it waits for. bench/patience
 * measures what this value gains there and that it costs nothing alone. */
static const char spin_count[] = "3000";
static const char second_start[] = "GAIT_PATIENT_THREADS";

static bool trains(const char *name)
{
    for (size_t i = 0; name && command_list[i]; i++)
        if (!strcmp(command_list[i]->name, name))
            return command_list[i]->trains;
    return false;
}

static bool is_settled(void)
{
    return getenv(second_start) || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT");
}

void patient_threads(char **argv)
{
    char program[PATH_MAX];
    if (!argv[0] || !trains(argv[1]) || is_settled())
        return;
    /* By its real name: as /proc/self/exe, the process would be listed as "exe". */
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return;
    program[len] = '\0';
    if (setenv(second_start, "1", 1) || setenv("GOMP_SPINCOUNT", spin_count, 1))
        return;
    execv(program, argv); /* returns only where it failed: then as it is, only slower */
}

void patient_threads_not_for_this(void)
{
    const char *count = getenv("GOMP_SPINCOUNT");
    if (getenv(second_start) && count && !strcmp(count, spin_count))
        unsetenv("GOMP_SPINCOUNT");
    unsetenv(second_start);
}
