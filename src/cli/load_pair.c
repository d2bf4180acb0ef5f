#include "cli/load_pair.h"

#include "cli/damage_warnings.h"
#include "load/path_list.h"

enum status load_pair_check(const struct args *args, struct err *err)
{
    if (args->n_operands == 2)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "--compare takes two runs, %zu were given; a folder or @LIST can "
                   "stand for the ranks of one",
                   args->n_operands);
}

enum status load_pair(struct run run[2], struct load_result *both,
                      const char *const operands[2], const struct load_options *options,
                      struct err *err)
{
    enum status st = path_list_check_stdin(operands, 2, err);
    *both = (struct load_result){0};
    for (int i = 0; i < 2 && !st; i++) {
        struct load_result side;
        st = load_runs(&run[i], &side, &operands[i], 1, options, err);
        if (st)
            return st;
        damage_warnings(&run[i]);
        both->files += side.files;
        both->failed += side.failed;
        both->read_ns += side.read_ns;
    }
    return st;
}
