/*
 * How things fail. Three kinds, kept apart:
 *   a bug of ours        BUG() aborts with file and line;
 *   the outside world    enum status is returned, struct err says what and what to do
 * next; the user's screen    only cli prints an err and exits; the status is the exit
 * code.
 */
#ifndef GAIT_BASE_STATUS_H
#define GAIT_BASE_STATUS_H

#include <stdint.h>

/* The values are the program's exit codes. */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,      /* a gate or a finding failed */
    STATUS_USAGE = 2,       /* the command line or the config is wrong */
    STATUS_INPUT = 3,       /* a file is missing, damaged or not what it should be */
    STATUS_ENVIRONMENT = 4, /* memory, disk, a library, a permission */
};

enum { ERR_TEXT_MAX = 1024 };

struct err {
    enum status status;
    int64_t offset; /* byte position in the input, -1 where there is none */
    char text[ERR_TEXT_MAX];
};

#define ERR_INIT                                                                         \
    {                                                                                    \
        STATUS_OK, -1, ""                                                                \
    }

/* Fill *err (which may be NULL) and return status, so that a failure is one statement. */
enum status err_set(struct err *err, enum status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
enum status err_set_at(struct err *err, enum status status, int64_t offset,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Put "context: " before the text of an err that has been set; returns its status. */
enum status err_prefix(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

#endif
