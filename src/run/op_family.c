#include "run/op_family.h"

#include "run/trainer_ops.h"

#include <string.h>

#define OP_FAMILY_TEXT(v, text) text,
const char *const op_family_text[OP_FAMILY_COUNT] = {OP_FAMILY_LIST(OP_FAMILY_TEXT)};

struct member {
    const char *name;
    enum op_family family;
};

#define MEMBER(op, family, rule, parameter) {op, OP_FAMILY_##family},
static const struct member members[] = {OP_LIST(MEMBER)};

enum op_family op_family_of(const char *name)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!strcmp(members[i].name, name))
            return members[i].family;
    return OP_FAMILY_NONE;
}

#define TRAINER_MEMBER(op, family, part) {op, OP_FAMILY_##family},
static const struct member of_trainer[] = {TRAINER_OP_LIST(TRAINER_MEMBER)};

enum op_family trainer_op_family(const char *name)
{
    size_t len = strcspn(name, ".");
    for (size_t i = 0; i < sizeof of_trainer / sizeof *of_trainer; i++)
        if (strlen(of_trainer[i].name) == len && !strncmp(of_trainer[i].name, name, len))
            return of_trainer[i].family;
    return OP_FAMILY_NONE;
}

bool op_family_is_product(enum op_family f)
{
    return f == OP_FAMILY_MATMUL || f == OP_FAMILY_ATTENTION ||
           f == OP_FAMILY_CONVOLUTION;
}
