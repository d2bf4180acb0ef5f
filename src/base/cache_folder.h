/* Where a user keeps what can be made again: $XDG_CACHE_HOME/gait, else ~/.cache/gait. */
#ifndef GAIT_BASE_CACHE_FOLDER_H
#define GAIT_BASE_CACHE_FOLDER_H

/* A file in it, which the caller frees; NULL where there is no such folder. It need not
 * exist yet. */
char *cache_folder_path(const char *name);

#endif
