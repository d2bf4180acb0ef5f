/*
 * Numbers as config files write them (the forms are listed in config.h). Stricter than
 * strtod: what YAML readers disagree about (010, 0x10, 1:30, .inf) is refused.
 */
#ifndef GAIT_CONFIG_NUMBER_TEXT_H
#define GAIT_CONFIG_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A finite real, the whole of the text. */
bool number_parse_real(double *out, const char *text);
/* The same, when its value is whole and exact (up to 2^53 in forms with . or e). */
bool number_parse_int(int64_t *out, const char *text);

/* The shortest text that reads back as exactly v; v is finite. */
struct number_text {
    char s[32];
};
struct number_text number_text(double v);

#endif
