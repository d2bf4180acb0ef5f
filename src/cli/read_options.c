#include "cli/read_options.h"

enum { READ_THREADS_MAX = 256 };

enum status read_options(struct load_options *out, const struct args *args,
                         struct err *err)
{
    int64_t threads = 0;
    enum status st = args_int(args, "threads", 1, READ_THREADS_MAX, &threads, err);
    if (!st)
        out->threads = (int)threads;
    return st;
}
