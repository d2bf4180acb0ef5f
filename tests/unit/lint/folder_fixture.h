/* A folder of a test's own, which is the working folder until it is removed. */
#ifndef GAIT_TESTS_FOLDER_FIXTURE_H
#define GAIT_TESTS_FOLDER_FIXTURE_H

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fixture_folder[64];

static int folder_make(void **state)
{
    (void)state;
    strcpy(fixture_folder, "/tmp/gait-lint-XXXXXX");
    return mkdtemp(fixture_folder) ? chdir(fixture_folder) : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", fixture_folder,
             fixture_folder);
    return chdir("/") || system(command);
}

static inline void write_at(const char *path, const char *text)
{
    struct err err = ERR_INIT;
    char *folder = path_folder(path);
    if (file_make_folders(folder, &err) || file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
    mem_free(folder);
}

#endif
