/* Only the lib_*() functions differ between the libraries. */
#include "trace/gzip_writer.h"

#include "base/mem.h"
#include "base/new_file.h"
#include "base/status.h"

#include <stdint.h>

#ifdef GAIT_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

enum { OUT_BYTES = 64 << 10, PIECE_MAX = 1 << 30 /* both libraries count in 32 bits */ };

struct gzip_writer {
#ifdef GAIT_ISAL
    struct isal_zstream lib;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
#else
    z_stream lib;
#endif
    int fd;
    uint8_t out[OUT_BYTES];
};

#ifdef GAIT_ISAL
static void lib_begin(struct gzip_writer *w)
{
    isal_deflate_init(&w->lib);
    w->lib.gzip_flag = IGZIP_GZIP;
    w->lib.level = 1;
    w->lib.level_buf = w->level;
    w->lib.level_buf_size = sizeof w->level;
}

static void lib_step(struct gzip_writer *w, bool last)
{
    w->lib.end_of_stream = last;
    if (isal_deflate(&w->lib) != COMP_OK)
        BUG("isal_deflate fails");
}

static void lib_release(struct gzip_writer *w)
{
    (void)w;
}
#else
enum { GZIP_WINDOW_BITS = 15 + 16 }; /* with a gzip header */

static void lib_begin(struct gzip_writer *w)
{
    if (deflateInit2(&w->lib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        mem_refused("zlib");
}

static void lib_step(struct gzip_writer *w, bool last)
{
    if (deflate(&w->lib, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
        BUG("deflate fails");
}

static void lib_release(struct gzip_writer *w)
{
    deflateEnd(&w->lib);
}
#endif

struct gzip_writer *gzip_writer_new(int fd)
{
    struct gzip_writer *w = mem_zalloc(1, sizeof *w);
    lib_begin(w);
    w->fd = fd;
    return w;
}

void gzip_writer_free(struct gzip_writer *w)
{
    lib_release(w);
    mem_free(w);
}

/* What the library has left of the output is room that it had no use for. */
static bool drain(struct gzip_writer *w, bool last)
{
    do {
        w->lib.next_out = w->out;
        w->lib.avail_out = OUT_BYTES;
        lib_step(w, last);
        if (!write_fully(w->fd, w->out, OUT_BYTES - w->lib.avail_out))
            return false;
    } while (!w->lib.avail_out);
    return true;
}

bool gzip_writer_add(struct gzip_writer *w, const void *data, size_t len)
{
    uint8_t *at = (uint8_t *)data; /* neither library writes to it */
    bool good = true;
    while (len && good) {
        size_t piece = len < PIECE_MAX ? len : PIECE_MAX;
        w->lib.next_in = at;
        w->lib.avail_in = (uint32_t)piece;
        good = drain(w, false);
        at += piece;
        len -= piece;
    }
    return good;
}

bool gzip_writer_end(struct gzip_writer *w)
{
    w->lib.avail_in = 0;
    return drain(w, true);
}
