/* Standard output as all commands print to it. The C library's stream forgets why a write
 * failed, and fails where a signal interrupted one; this one does neither. */
#ifndef GAIT_CLI_STANDARD_OUTPUT_H
#define GAIT_CLI_STANDARD_OUTPUT_H

/* Before anything is printed. */
void standard_output_begin(void);
/* Flush it. 0, or the errno of the first write that failed. */
int standard_output_end(void);

#endif
