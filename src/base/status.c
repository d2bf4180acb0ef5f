#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void err_fill(struct err *err, enum status status, int64_t offset, const char *fmt,
                     va_list args)
{
    if (!err)
        return;
    /* Formatted apart, since an argument may be err->text itself. */
    char text[ERR_TEXT_MAX];
    vsnprintf(text, sizeof text, fmt, args);
    err->status = status;
    err->offset = offset;
    memcpy(err->text, text, sizeof text);
}

enum status err_set(struct err *err, enum status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    err_fill(err, status, -1, fmt, args);
    va_end(args);
    return status;
}

enum status err_set_at(struct err *err, enum status status, int64_t offset,
                       const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    err_fill(err, status, offset, fmt, args);
    va_end(args);
    return status;
}

enum status err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err)
        BUG("err_prefix needs an err");
    char context[ERR_TEXT_MAX / 2];
    char rest[ERR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(context, sizeof context, fmt, args);
    va_end(args);
    memcpy(rest, err->text, sizeof rest);
    size_t used = (size_t)snprintf(err->text, sizeof err->text, "%s: ", context);
    /* "%.*s", not "%s": the cut is meant, and gcc warns of one it finds by itself. */
    snprintf(err->text + used, sizeof err->text - used, "%.*s",
             (int)(sizeof err->text - used - 1), rest);
    return err->status;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "gait: bug at %s:%d: ", file, line);
    vfprintf(stderr, fmt, args);
    fputs("\nPlease report this line with the command that led to it.\n", stderr);
    va_end(args);
    abort();
}
