#include "gen_spans.h"

#define SPAN_KIND_ROW(value, kind, nvidia, amd) KIND_##kind,
static const enum gen_kind span_kind[] = {SPAN_LIST(SPAN_KIND_ROW)};

#define SPAN_TEXT_ROW(value, kind, nvidia, amd)                                          \
    {{nvidia, sizeof nvidia - 1}, {amd, sizeof amd - 1}},
static const struct span_text span_text[][2] = {SPAN_LIST(SPAN_TEXT_ROW)};

enum gen_kind gen_span_kind(enum gen_span span)
{
    return span_kind[span];
}

const struct span_text *gen_span_text(enum gen_span span, enum vendor vendor)
{
    return &span_text[span][vendor == VENDOR_AMD];
}

static enum gen_kind settle_kind(const struct gen_options *o, enum gen_kind kind)
{
    return o->old && kind == KIND_ANNOTATION ? KIND_OP : kind;
}

const char *gen_kind_text(const struct gen_options *o, enum gen_kind kind)
{
    static const char *const text[KIND_COUNT] = {
        [KIND_OP] = "op",
        [KIND_ANNOTATION] = "annotation",
        [KIND_STEP] = "step",
        [KIND_PYTHON] = "python",
        [KIND_RUNTIME] = "runtime",
        [KIND_SYNC] = "sync",
        [KIND_KERNEL] = "kernel",
        [KIND_COLLECTIVE] = "collective",
        [KIND_COPY] = "copy",
        [KIND_SET] = "set",
        [KIND_DEVICE_ANNOTATION] = "annotation",
        [KIND_DEVICE_SYNC] = "sync",
        [KIND_MEMORY] = "memory",
    };
    return text[settle_kind(o, kind)];
}

const char *gen_kind_place(enum gen_kind kind)
{
    return kind >= KIND_KERNEL && kind != KIND_MEMORY ? "device" : "cpu";
}

bool gen_kind_is_host_work(const struct gen_options *o, enum gen_kind kind)
{
    kind = settle_kind(o, kind);
    return kind == KIND_OP || kind == KIND_RUNTIME || kind == KIND_SYNC;
}
