/*
 * The table behind struct config, private to this folder: one row a setting, made from
 * SETTINGS. Everything else here walks this table, so that a new line in settings.h is
 * the whole change.
 */
#ifndef GAIT_CONFIG_SETTING_H
#define GAIT_CONFIG_SETTING_H

#include "config/config.h"
#include "config/key_alias.h"

enum setting_kind {
    SETTING_KIND_INT,
    SETTING_KIND_REAL,
    SETTING_KIND_BOOL,
    SETTING_KIND_TEXT,
    SETTING_KIND_CHOICE,
};

struct setting {
    const char *section, *key;
    enum setting_kind kind;
    size_t offset;             /* of the member in struct config */
    int64_t int_min, int_max;  /* INT */
    double real_min, real_max; /* REAL */
    const char *choices;       /* CHOICE: words with | between */
    const char *help;
};

#define SETTING_ONE(...) +1
enum {
    SETTING_COUNT =
        0 SETTINGS(SETTING_ONE, SETTING_ONE, SETTING_ONE, SETTING_ONE, SETTING_ONE)
};

extern const struct setting setting_table[SETTING_COUNT];

/* The row of a key or of an alias, written with - or _; NULL where there is none. */
const struct setting *setting_find(const char *key);
bool setting_is_section(const char *name);
/* Tell the user of a key that is taken and changes nothing. */
void setting_note_unneeded(const struct key_unneeded *key);

/* Parse text as this setting's kind and store it in *c. The error says what is allowed
 * and begins with the key. */
enum status setting_assign(struct config *c, const struct setting *s, const char *text,
                           struct err *err);
/* "a whole number from 1 to 1024" */
void setting_allowed(struct strbuf *out, const struct setting *s);
/* The value as config files write it: numbers in full, text without quotes. */
void setting_value(struct strbuf *out, const struct config *c, const struct setting *s);

int64_t *setting_int(struct config *c, const struct setting *s);
double *setting_real(struct config *c, const struct setting *s);
bool *setting_bool(struct config *c, const struct setting *s);
char **setting_text(struct config *c, const struct setting *s);

/* "…" around a value for a message: cut when long, bytes that a terminal would obey
 * replaced. */
struct shown_value {
    char s[96];
};
struct shown_value shown_value(const char *text);

#endif
