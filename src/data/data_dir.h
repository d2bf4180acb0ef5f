/* Where data lies that the program does not have in itself. */
#ifndef GAIT_DATA_DATA_DIR_H
#define GAIT_DATA_DATA_DIR_H

/* The setting data_dir where it is set, else the environment's GAIT_DATA, else "". */
const char *data_dir_or_default(const char *setting);

#endif
