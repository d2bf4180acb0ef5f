#include "faults/call_table.h"

#include <sys/syscall.h>

#define FD(name, kind)                                                                   \
    {                                                                                    \
        SYS_##name, #name, kind, 0, -1, -1                                               \
    }
#define PATH(name)                                                                       \
    {                                                                                    \
        SYS_##name, #name, CALL_OTHER, -1, 0, -1                                         \
    }
#define AT(name)                                                                         \
    {                                                                                    \
        SYS_##name, #name, CALL_OTHER, 0, 1, -1                                          \
    }

const struct call call_table[] = {
    {SYS_open, "open", CALL_OPEN, -1, 0, 1},
    {SYS_openat, "openat", CALL_OPEN, 0, 1, 2},
    {SYS_creat, "creat", CALL_OPEN, -1, 0, -1},
    FD(close, CALL_CLOSE),
    FD(read, CALL_READ),
    FD(pread64, CALL_READ),
    FD(readv, CALL_OTHER),
    FD(write, CALL_WRITE),
    FD(pwrite64, CALL_WRITE),
    FD(writev, CALL_WRITEV),
    FD(fsync, CALL_OTHER),
    FD(fdatasync, CALL_OTHER),
    FD(ftruncate, CALL_OTHER),
    FD(fallocate, CALL_OTHER),
    FD(copy_file_range, CALL_OTHER),
    FD(sendfile, CALL_OTHER),
    FD(lseek, CALL_OTHER),
    FD(flock, CALL_OTHER),
    FD(fcntl, CALL_FCNTL),
    FD(getdents64, CALL_OTHER),
    FD(fstat, CALL_OTHER),
    FD(fstatfs, CALL_OTHER),
    FD(fchmod, CALL_OTHER),
    {SYS_mmap, "mmap", CALL_MMAP, 4, -1, -1},
    PATH(stat),
    PATH(lstat),
    PATH(statfs),
    PATH(access),
    PATH(readlink),
    PATH(truncate),
    PATH(rename),
    PATH(unlink),
    PATH(mkdir),
    PATH(rmdir),
    PATH(link),
    PATH(symlink),
    PATH(chmod),
    AT(newfstatat),
    AT(statx),
    AT(faccessat),
    AT(faccessat2),
    AT(readlinkat),
    AT(renameat),
    AT(renameat2),
    AT(unlinkat),
    AT(mkdirat),
    AT(linkat),
    AT(fchmodat),
    AT(utimensat),
    {SYS_pipe2, "pipe2", CALL_OTHER, -1, -1, -1},
};
const size_t call_table_n = sizeof call_table / sizeof *call_table;

const struct call *call_find(long number)
{
    for (size_t i = 0; i < call_table_n; i++)
        if (call_table[i].number == number)
            return &call_table[i];
    return NULL;
}
