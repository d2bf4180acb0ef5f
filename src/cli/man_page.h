/* The manual, from the tables that the help is made of. */
#ifndef GAIT_CLI_MAN_PAGE_H
#define GAIT_CLI_MAN_PAGE_H

#include "base/status.h"

/* Write gait.1 and a page gait-NAME.1 for each command of `gait help` into a folder, which
 * is made where it is missing. The pages have the day of SOURCE_DATE_EPOCH, where it is
 * set, and else none: the same program writes the same bytes. */
enum status man_pages_write(const char *folder, struct err *err);

#endif
