/* Which PyTorch a folder's requirements ask for. Private to this folder. */
#ifndef GAIT_SOURCE_SOURCE_REQUIREMENTS_H
#define GAIT_SOURCE_SOURCE_REQUIREMENTS_H

enum torch_age {
    TORCH_ANY,    /* nothing says */
    TORCH_OLD,    /* below 2 */
    TORCH_RECENT, /* 2 or newer */
};

/* By the files of this folder alone. */
enum torch_age requirements_torch_age(const char *folder);

#endif
