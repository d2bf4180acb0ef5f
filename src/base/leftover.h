/* Temporary files and folders that must not stay behind where the program ends in the
 * middle of its work: a refused allocation (base/mem.h) leaves no way back to whoever
 * made them. Removing them asks for no memory. Any thread may call these. */
#ifndef GAIT_BASE_LEFTOVER_H
#define GAIT_BASE_LEFTOVER_H

/* From here on path is removed with the program, until leftover_forget(). A path that is
 * too long or one too many is not noted: it would stay behind, as after a crash. */
void leftover_note(const char *path);
/* Also before the name is given up to the caller's own use. */
void leftover_forget(const char *path);

/* Remove what is noted: a file, or a folder with all that is in it. */
void leftover_remove_all(void);

#endif
