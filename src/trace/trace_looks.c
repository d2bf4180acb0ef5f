/* trace_looks_like(): a guess from the first bytes; trace_read() decides. */
#include "trace/trace_reader.h"

#include "base/mem.h"
#include "trace/byte_source.h"

#include <string.h>

enum { LOOK_BYTES = 64 << 10 };

static const char *const signs[] = {"\"traceEvents\"",     "\"ph\"",
                                    "\"schemaVersion\"",   "\"deviceProperties\"",
                                    "\"distributedInfo\"", "\"baseTimeNanoseconds\""};

/* s is NUL-terminated behind len bytes. */
static bool text_looks_like(const char *s, size_t len)
{
    size_t i = 0;
    if (len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
        i = 3;
    i += strspn(s + i, " \t\r\n");
    if (s[i] != '{' && s[i] != '[')
        return false;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (memmem(s, len, signs[k], strlen(signs[k])))
            return true;
    return false;
}

bool trace_looks_like(const char *path)
{
    struct byte_source *source;
    struct err err = ERR_INIT;
    if (byte_source_open(&source, path, &err))
        return false;
    char *text = mem_alloc(LOOK_BYTES + 1);
    size_t len = 0, got;
    while (len < LOOK_BYTES &&
           (got = byte_source_read(source, text + len, LOOK_BYTES - len)) > 0)
        len += got;
    text[len] = '\0';
    bool looks = text_looks_like(text, len);
    mem_free(text);
    byte_source_close(source);
    return looks;
}
