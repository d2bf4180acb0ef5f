/*
 * The settings of a training run: defaults, then a YAML file, then flags; each later one
 * wins. The list itself is settings.h. Legal order: config_init, config_read_yaml,
 * config_set…, config_check, then use; config_release at the end.
 *
 * Values, in YAML and in flags alike:
 *   whole number   12, 1_000, -3, and any real that is whole: 1e6, 2.0e3
 *   real           0.1, 1e-3, 3.0e-4, .5, 1_000.0; never inf, nan, hexadecimal or octal
 *   boolean        true false yes no on off, in any case
 *   text           as it stands; in YAML quotes are needed where YAML needs them
 *   choice         one of the words listed
 */
#ifndef GAIT_CONFIG_CONFIG_H
#define GAIT_CONFIG_CONFIG_H

#include "base/status.h"
#include "base/strbuf.h"
#include "config/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config {
#define CONFIG_INT(section, key, def, min, max, help) int64_t key;
#define CONFIG_REAL(section, key, def, min, max, help) double key;
#define CONFIG_BOOL(section, key, def, help) bool key;
#define CONFIG_TEXT(section, key, def, help) char *key;
#define CONFIG_CHOICE(section, key, def, choices, help) char *key;
    SETTINGS(CONFIG_INT, CONFIG_REAL, CONFIG_BOOL, CONFIG_TEXT, CONFIG_CHOICE)
};

enum {
    CONFIG_FILE_BYTES_MAX = 1 << 20, /* a larger file is not a config */
    CONFIG_TEXT_BYTES_MAX = 4096,    /* of one value: a path fits */
};

void config_init(struct config *c); /* all defaults */
void config_release(struct config *c);
void config_copy(struct config *dst, const struct config *src); /* dst: init'ed */
/* The same training, for trying: it neither goes on from a checkpoint nor leaves one, and
 * nobody is told of its metrics. The
 * caller releases *dst. */
void config_copy_for_trial(struct config *dst, const struct config *src);
bool config_equal(const struct config *a, const struct config *b);

/* Read a YAML file into *c: one document, one mapping, keys at the top or under their
 * section. Errors name file and line, the value and what is allowed, and the nearest key
 * for an unknown one. On failure *c is as before. */
enum status config_read_yaml(struct config *c, const char *path, struct err *err);
/* The same from text in memory; name is for messages. */
enum status config_parse_yaml(struct config *c, const char *text, size_t len,
                              const char *name, struct err *err);
/* Set one key from text, as a flag does: key may be written with - or _. */
enum status config_set(struct config *c, const char *key, const char *value,
                       struct err *err);
bool config_has_key(const char *key); /* with - or _ alike; other names too */
/* The key that was probably meant, or NULL. */
const char *config_nearest_key(const char *typed);
/* What ranges alone cannot say: heads divide width, warm-up within steps, … */
enum status config_check(const struct config *c, struct err *err);
/* What only a run knows: the steps that epochs come to (or config->steps) and the ranks,
 * at least 1. config_check() came before. */
enum status config_check_run(const struct config *c, int64_t steps, int64_t ranks,
                             struct err *err);

/* The threads that load data: num_workers where it is given, else (-1) one for every 8
 * cores, at least 1 and at most 4; reading tokens takes far less time than a step, and
 * each worker takes from the cores that compute. */
int64_t config_workers(int64_t num_workers, int64_t cores);

/* All settings in order, for whoever records or lists them. */
size_t config_count(void);
const char *config_key(size_t i);
void config_value(struct strbuf *out, const struct config *c, size_t i);
/* The same of a key that there is. */
void config_value_of(struct strbuf *out, const struct config *c, const char *key);

/* A setting as its flag: --batch-size N. */
struct config_flag {
    const char *section, *key;
    const char *value; /* as --help names it: N, X, BOOL, TEXT, or the words it can be,
                          with | between */
    const char *help;
};
struct config_flag config_flag(size_t i);
/* By key, with - or _; other names too. False: there is none. */
bool config_flag_find(struct config_flag *out, const char *key);
/* "batch-size" */
void config_put_dashed(struct strbuf *out, const char *key);
/* The default of a setting as a config has it: quoted where it is text. */
void config_put_default(struct strbuf *out, size_t i);

/* The settings as YAML that reads back equal; as JSON; as rows of --help; as
 * docs/config.md. */
void config_print_yaml(const struct config *c, struct strbuf *out);
/* With a note of the caller's own in place of a setting's help; NULL where it has none. */
void config_print_yaml_noted(const struct config *c, struct strbuf *out,
                             const char *(*note)(void *context, const char *key),
                             void *context);
void config_print_json(const struct config *c, struct strbuf *out);
void config_print_help(struct strbuf *out);
void config_print_markdown(struct strbuf *out);

#endif
