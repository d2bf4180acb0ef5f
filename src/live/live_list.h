/* The statuses of this user's trainings on this machine, the one that began last first. */
#ifndef GAIT_LIVE_LIVE_LIST_H
#define GAIT_LIVE_LIVE_LIST_H

#include "live/live_process.h"

struct live_entry {
    char *path;
    struct live_status status;
    enum live_state state;
};

struct live_list {
    struct live_entry *entry; /* (n) */
    size_t n, cap;
};

/* Files that cannot be read are left out, and those beyond LIVE_LIST_MAX. Where there is
 * no folder there are none. STATUS_ENVIRONMENT where the folder is not the user's alone:
 * then *l is empty. The caller releases. */
enum { LIVE_LIST_MAX = 1024 };
enum status live_list_read(struct live_list *l, struct err *err);
void live_list_release(struct live_list *l);

bool live_entry_is_alive(const struct live_entry *e);
/* Does the user mean this one? what is the number of its process, its checkpoint_dir, its
 * log_dir, or the folder that it was started in. */
bool live_entry_is(const struct live_entry *e, const char *what);

/* The status in one file, and whether its process lives. */
enum status live_entry_read(struct live_entry *e, const char *path, struct err *err);

#endif
