#include "replay/call_kind.h"

#include <stddef.h>
#include <string.h>

struct call_word {
    const char *word;
    enum call_kind kind;
};

/* The first that the name contains decides. */
static const struct call_word words[] = {
    {"DeviceSynchronize", CALL_KIND_DEVICE_SYNC},
    {"CtxSynchronize", CALL_KIND_DEVICE_SYNC},
    {"StreamSynchronize", CALL_KIND_STREAM_SYNC},
    {"EventSynchronize", CALL_KIND_EVENT_SYNC},
    {"MemcpyWithStream", CALL_KIND_COPY_SYNC},
    {"Memcpy", CALL_KIND_COPY},
    {"GraphLaunch", CALL_KIND_GRAPH_LAUNCH},
    {"Launch", CALL_KIND_LAUNCH},
    {"Memset", CALL_KIND_SET},
};

/* The whole name. */
static const struct call_word names[] = {
    {"cudaMemcpy", CALL_KIND_COPY_SYNC}, {"hipMemcpy", CALL_KIND_COPY_SYNC},
    {"cudaFree", CALL_KIND_FREE},        {"hipFree", CALL_KIND_FREE},
    {"cudaMalloc", CALL_KIND_FREE},      {"hipMalloc", CALL_KIND_FREE},
    {"cudaHostAlloc", CALL_KIND_FREE},   {"hipHostMalloc", CALL_KIND_FREE},
    {"cudaFreeHost", CALL_KIND_FREE},    {"hipHostFree", CALL_KIND_FREE},
    {"cudaEventQuery", CALL_KIND_FREE},
};

enum call_kind call_kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].word))
            return names[i].kind;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i].word))
            return words[i].kind;
    return CALL_KIND_OTHER;
}
