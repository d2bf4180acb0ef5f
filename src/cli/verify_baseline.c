/* Baselines of a history: configs that are trained anew whenever one is compared with
 * them. */
#include "cli/verify_history.h"

#ifdef GAIT_TRAIN
#include "base/content_hash.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/settings_args.h"
#include "cli/verify_machine.h"
#include "verify/proof.h"

#include <stdio.h>
#include <string.h>

static const double BUDGET_S = 60;

static const char *no_note(void *context, const char *key)
{
    (void)context;
    (void)key;
    return NULL;
}

/* All settings, defaults too: neither a comment nor a later gait's other default makes
 * another config of it. */
static struct content_hash_text hash_of(const struct config *c, struct strbuf *yaml)
{
    strbuf_clear(yaml);
    config_print_yaml_noted(c, yaml, no_note, NULL);
    return content_hash_of(yaml->s, yaml->len);
}

/* --- save */

/* Against itself, in turns: the same measuring as of a comparison. */
static enum status measure(struct proof *proof, const struct config *c,
                           const struct args *args, struct err *err)
{
    const struct targets targets = targets_default();
    struct proof_options o = {.budget_s = BUDGET_S,
                              .decides = targets_slowdown(&targets)};
    enum status st = args_real(args, "budget", 1, 1e6, &o.budget_s, err);
    return st ? st : proof_measure(proof, c, c, &o, err);
}

static enum status save(const struct config *c, const struct args *args, struct err *err)
{
    struct proof proof;
    struct strbuf yaml, machine;
    enum status st = measure(&proof, c, args, err);
    if (st)
        return st;
    strbuf_init(&yaml);
    strbuf_init(&machine);
    verify_machine_here(&machine);
    struct content_hash_text hash = hash_of(c, &yaml);
    struct history_utc now = history_now();
    struct history_baseline b = {.name = args_value(args, "save-baseline"),
                                 .utc = now.s,
                                 .path = args->operands[0],
                                 .hash = hash.s,
                                 .machine = machine.s,
                                 .yaml = yaml.s,
                                 .step_ms = proof.time.step_ns[0] / 1e6,
                                 .memory_bytes = proof.bytes[0]};
    const char *path = args_value(args, "history");
    st = history_save(path, &b, args_has(args, "replace"), err);
    if (!st)
        printf("%s is baseline %s of %s: %s per step, %s\n", b.path, b.name, path,
               unit_ns_of(b.step_ms * 1e6).s, unit_mib(b.memory_bytes).s);
    strbuf_release(&yaml);
    strbuf_release(&machine);
    return st;
}

/* Before a minute of measuring, not after it. */
static enum status check_absent(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "history");
    struct history h;
    if (args_has(args, "replace") || file_is_absent(path))
        return STATUS_OK;
    history_init(&h);
    enum status st = history_load(&h, path, err);
    if (!st && history_find(&h, path, args_value(args, "save-baseline"), NULL))
        st = history_already(path, args_value(args, "save-baseline"), err);
    history_release(&h);
    return st;
}

enum status verify_save_baseline(const struct args *args, struct err *err)
{
    struct config c;
    enum status st = check_absent(args, err);
    if (st)
        return st;
    st = settings_from_args(&c, args->operands[0], args, err);
    if (!st)
        st = save(&c, args, err);
    config_release(&c);
    return st;
}

/* --- compare */

/* Of a file's text, what a line can show. */
static void copy_shown(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    for (; *to; to++)
        if ((unsigned char)*to < ' ' || (unsigned char)*to >= 0x7f)
            *to = '?';
}

static void describe(struct verify_baseline *out, const struct history_baseline *b)
{
    struct strbuf here;
    strbuf_init(&here);
    verify_machine_here(&here);
    copy_shown(out->name, sizeof out->name, b->name);
    copy_shown(out->saved, sizeof out->saved, b->utc);
    copy_shown(out->hash, sizeof out->hash, b->hash);
    out->step_ms = b->step_ms;
    out->memory_bytes = b->memory_bytes;
    out->same_machine = !strcmp(here.s, b->machine);
    strbuf_release(&here);
}

static enum status parse_baseline(struct config *c, const struct history_baseline *b,
                                  const char *path, struct err *err)
{
    char name[HISTORY_NAME_MAX + 32];
    snprintf(name, sizeof name, "baseline %.*s", HISTORY_NAME_MAX, b->name);
    enum status st = config_parse_yaml(c, b->yaml, strlen(b->yaml), name, err);
    if (!st)
        st = config_check(c, err);
    return st ? err_prefix(err, "%s", path) : st;
}

static enum status read_baseline(struct config *c, struct verify_baseline *out,
                                 const struct args *args, struct err *err)
{
    const char *path = args_value(args, "history");
    struct history h;
    config_init(c);
    history_init(&h);
    enum status st = history_load(&h, path, err);
    const struct history_baseline *b =
        st ? NULL : history_find(&h, path, args_value(args, "baseline"), err);
    if (b) {
        describe(out, b);
        st = parse_baseline(c, b, path, err);
    } else if (!st) {
        st = STATUS_INPUT;
    }
    history_release(&h);
    return st;
}

enum status verify_read_configs(struct config config[2], struct verify_baseline *baseline,
                                const struct args *args, struct err *err)
{
    bool stored = args_has(args, "baseline");
    enum status st = stored
                         ? read_baseline(&config[0], baseline, args, err)
                         : settings_from_args(&config[0], args->operands[0], args, err);
    if (!st)
        return settings_from_args(&config[1], args->operands[stored ? 0 : 1], args, err);
    config_init(&config[1]);
    return st;
}

enum status verify_keep_configs(enum status st, const struct args *args,
                                const struct config config[2],
                                const struct verify_result *r, struct err *err)
{
    bool stored = args_has(args, "baseline");
    struct strbuf yaml, machine;
    if (!args_has(args, "history"))
        return st;
    strbuf_init(&yaml);
    strbuf_init(&machine);
    verify_machine_here(&machine);
    struct content_hash_text before = hash_of(&config[0], &yaml),
                             after = hash_of(&config[1], &yaml);
    struct history_comparison c = {.kind = stored ? "baseline" : "configs",
                                   .before = stored ? args_value(args, "baseline")
                                                    : args->operands[0],
                                   .after = args->operands[stored ? 0 : 1],
                                   .before_hash = stored ? r->baseline.hash : before.s,
                                   .after_hash = after.s,
                                   .machine = machine.s};
    st = verify_history_add(st, args, &c, r, 0, err);
    strbuf_release(&yaml);
    strbuf_release(&machine);
    return st;
}
#else
enum status verify_save_baseline(const struct args *args, struct err *err)
{
    return command_needs_trainer(args, err);
}
#endif
