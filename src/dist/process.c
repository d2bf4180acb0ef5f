#include "dist/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_BYTES = 512 };

/* The state letter of /proc/PID/stat, 0 where it cannot be read. The name before it
 * stands in brackets and may have brackets too. */
static char state_of(int pid, int *parent)
{
    char path[32], text[STAT_BYTES], state;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t len = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[len] = '\0';
    const char *rest = strrchr(text, ')');
    if (!rest || strlen(rest) < 4 || rest[1] != ' ')
        return 0;
    state = rest[2];
    *parent = (int)strtol(rest + 3, NULL, 10);
    return state;
}

struct process_why process_why_silent(int pid)
{
    struct process_why why;
    int parent;
    char state = pid ? state_of(pid, &parent) : 0;
    if (state == 'T')
        snprintf(why.text, sizeof why.text,
                 "it was stopped; `kill -CONT %d` lets it go on", pid);
    else if (state == 't')
        snprintf(why.text, sizeof why.text, "a debugger stopped it");
    else if (state == 'Z' || (pid && !state && state_of(getpid(), &parent)))
        snprintf(why.text, sizeof why.text, "it is gone");
    else
        snprintf(why.text, sizeof why.text,
                 "it was stopped or swapped out, or its host is gone");
    return why;
}

int process_stopped_sibling(void)
{
    DIR *proc = opendir("/proc");
    int found = 0, launcher = getppid();
    if (!proc)
        return 0;
    for (struct dirent *entry; !found && (entry = readdir(proc));) {
        int pid = (int)strtol(entry->d_name, NULL, 10), parent = 0;
        char state = pid > 0 ? state_of(pid, &parent) : 0;
        if ((state == 'T' || state == 't') && parent == launcher)
            found = pid;
    }
    closedir(proc);
    return found;
}
