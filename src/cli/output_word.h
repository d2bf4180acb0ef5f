/* One rule for every -o FILE: an earlier file of that name is replaced, and the line that
 * names the file says so. */
#ifndef GAIT_CLI_OUTPUT_WORD_H
#define GAIT_CLI_OUTPUT_WORD_H

/* "replaced" where a file with something in it is at path, else "wrote"; to be asked
 * before the file is written. */
const char *output_word(const char *path);

#endif
