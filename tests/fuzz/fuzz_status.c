/*
 * Bytes as the status of a training. Whatever is read can be drawn, at three sizes, and is
 * read again as it was written.
 */
#include "base/mem.h"
#include "top/top_screen.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct live_status *s)
{
    static const int size[][2] = {{40, 10}, {80, 24}, {500, 200}};
    struct strbuf out;
    strbuf_init(&out);
    for (int state = LIVE_RUNNING; state <= LIVE_FINISHED; state++) {
        struct top_view view = {
            .status = s, .state = state, .now_ns = 1700000000000000000, .keys = true};
        for (size_t i = 0; i < sizeof size / sizeof *size; i++)
            top_screen(&out, &view, size[i][0], size[i][1]);
        top_json(&out, &view);
    }
    strbuf_release(&out);
}

static void check_reads_back(const struct live_status *s)
{
    struct live_status *back = mem_zalloc(1, sizeof *back);
    struct strbuf text;
    struct err err = ERR_INIT;
    strbuf_init(&text);
    live_status_text(&text, s);
    if (live_status_read(back, text.s, text.len, &err) || back->step != s->step ||
        back->steps != s->steps || back->curve.n != s->curve.n)
        abort();
    strbuf_release(&text);
    mem_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct live_status *s = mem_zalloc(1, sizeof *s);
    struct err err = ERR_INIT;
    if (!live_status_read(s, (const char *)data, size, &err)) {
        draw(s);
        check_reads_back(s);
    }
    mem_free(s);
    return 0;
}
