/*
 * What may stand next on a command line of gait, from the tables that its help is made
 * of. The shells ask for it while somebody types (packaging/completions): their scripts
 * know nothing of the commands themselves.
 *
 * Lines of the answer:
 *   WORD<tab>HELP      a word that may stand there, and what it does; HELP may be empty
 *   :files ENDING…     files of these endings, and folders on the way; none: all files.
 *                      One line at most
 *   :folders           folders
 *   :command N         a command of the shell, which begins at word N, counted from 0
 */
#ifndef GAIT_CLI_COMPLETION_H
#define GAIT_CLI_COMPLETION_H

#include "base/strbuf.h"

/* words[0..n) are those behind "gait"; the last one is being typed and may be empty.
 * Words that do not begin as it does are listed too: shells choose in ways of their own. */
void completion_print(struct strbuf *out, const char *const *words, size_t n);

#endif
