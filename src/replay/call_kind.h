/* What a call of a device's runtime may wait for, by its name: CUDA's and HIP's. */
#ifndef GAIT_REPLAY_CALL_KIND_H
#define GAIT_REPLAY_CALL_KIND_H

enum call_kind {
    CALL_KIND_OTHER,
    CALL_KIND_DEVICE_SYNC,
    CALL_KIND_STREAM_SYNC,
    CALL_KIND_EVENT_SYNC,
    CALL_KIND_COPY,
    CALL_KIND_COPY_SYNC, /* a copy that always blocks */
    CALL_KIND_FREE,      /* may wait for the device: free, allocate, pin, query */
    CALL_KIND_LAUNCH,    /* of a kernel */
    CALL_KIND_SET,
    CALL_KIND_GRAPH_LAUNCH,
};

enum call_kind call_kind_of(const char *name);

#endif
