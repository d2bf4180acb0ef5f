/* `gait export --parquet`: a job's figures as tables for engines that query many jobs. */
#ifndef GAIT_CLI_EXPORT_PARQUET_H
#define GAIT_CLI_EXPORT_PARQUET_H

#include "cli/args.h"

/* Uses the options parquet, job, whole and those of READ_OPTIONS, and the operands. */
enum status export_parquet(const struct args *args, struct err *err);

#endif
