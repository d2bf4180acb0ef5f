#include "base/file.h"
#include "base/strbuf.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/step_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* The kernel gives the lock back however the process ends. */
enum status checkpoint_lock(int *fd, const char *dir, struct err *err)
{
    struct strbuf path;
    enum status s = checkpoint_check(dir, err);
    if (s != STATUS_OK)
        return s;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/lock", dir);
    *fd = open(path.s, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*fd < 0)
        s = file_err(err, "write", path.s);
    else if (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        s = err_set(err, STATUS_ENVIRONMENT,
                    "another training is saving to %s: wait until it ends, or name "
                    "another checkpoint_dir",
                    dir);
    if (s == STATUS_OK)
        step_folders_recover(dir);
    else if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    strbuf_release(&path);
    return s;
}
