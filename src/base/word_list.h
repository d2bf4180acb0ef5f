/* Words in one text, with a character between them: "tiled|plain", "precision,threads". */
#ifndef GAIT_BASE_WORD_LIST_H
#define GAIT_BASE_WORD_LIST_H

#include <stdbool.h>

/* Is it one of them? No empty word is. */
bool word_list_has(const char *list, char between, const char *word);

#endif
