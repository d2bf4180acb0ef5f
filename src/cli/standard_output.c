#include "cli/standard_output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static int first_error;
/* The stream asks for no memory later, when there may be none. */
static char buffer[1 << 16];

static ssize_t write_on(void *cookie, const char *data, size_t len)
{
    (void)cookie;
    for (size_t done = 0; done < len;) {
        ssize_t put = write(STDOUT_FILENO, data + done, len - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            if (!first_error)
                first_error = errno;
            return 0; /* what a stream takes for an error */
        }
        done += (size_t)put;
    }
    return (ssize_t)len;
}

void standard_output_begin(void)
{
    FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_on});
    if (!f)
        return; /* then the C library's own */
    setvbuf(f, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    stdout = f;
}

int standard_output_end(void)
{
    bool failed = fflush(stdout) || ferror(stdout);
    return first_error ? first_error : failed ? EIO : 0;
}
