/* Patterns for paths: * ? [abc] [!a-z] [[:digit:]] \x, and ** for any number of folders. */
#ifndef GAIT_BASE_GLOB_H
#define GAIT_BASE_GLOB_H

#include <stdbool.h>

enum glob_star {
    GLOB_STAR_IN_NAME, /* * and ? stop at a slash, as in a shell */
    GLOB_STAR_CROSSES, /* they do not, as in ruff's settings */
};

/* Does all of text match? "**" between slashes is zero or more folders. In at most
 * strlen(pattern) * strlen(text) steps. */
bool glob_match(const char *pattern, const char *text, enum glob_star star);

/* Does each set end, with classes that there are, and each backslash have a character? In a
 * pattern that is not whole, glob_match() takes such a bracket or backslash as it stands. */
bool glob_is_whole(const char *pattern);

bool glob_is_pattern(const char *s); /* has it one of * ? [ */

#endif
