/* The help texts, made from the tables of commands and options. */
#ifndef GAIT_CLI_HELP_H
#define GAIT_CLI_HELP_H

#include "cli/command.h"

#define GAIT_SUMMARY "why is training slow, what would each fix gain, and did it work?"

void help_print(const struct command *c); /* of one command, on stdout */
void help_print_all(void);                /* the list of commands */

#endif
