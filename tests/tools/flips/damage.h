/* One flipped bit or one cut in one of some files, chosen by a seed and a number alone,
 * and undone again. */
#ifndef GAIT_TESTS_DAMAGE_H
#define GAIT_TESTS_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum damage_kind { DAMAGE_FLIP, DAMAGE_CUT };

struct damage_file {
    char *path, *name; /* name: within the folder */
    char *bytes;       /* (n) as they are when undamaged */
    size_t n;
};

struct damage {
    enum damage_kind kind;
    const struct damage_file *file;
    size_t at; /* the byte that is damaged, or the length that is left */
    int bit;
};

void damage_file_init(struct damage_file *f, const char *folder, const char *name);
void damage_file_release(struct damage_file *f);

/* Each file is as likely as any other, however small, and so is each of its bytes. */
struct damage damage_choose(const struct damage_file *file, size_t n,
                            enum damage_kind kind, uint64_t seed, uint64_t number);
void damage_do(const struct damage *d);
void damage_undo(const struct damage *d);

#endif
