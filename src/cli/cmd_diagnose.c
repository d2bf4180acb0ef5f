/* A training looked at before it begins: verdicts, its time, and why it would be slow. */
#include "cli/args.h"

static const struct option options[] = {
    {"verbose", 'v', NULL, "every check, those that are ok too"},
    {"probe-steps", 0, "N", "the most steps that are timed [20]"},
    {"json", 0, NULL, "verdicts and figures as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/mem.h"
#include "cli/settings_args.h"
#include "diagnose/diagnose.h"
#include "diagnose/step_probe.h"
#include "dist/comm.h"

#include <stdio.h>
#include <string.h>

/* As a shell takes it: quoted where it must be. */
static void add_word(struct strbuf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        strbuf_puts(out, word);
        return;
    }
    strbuf_putc(out, '\'');
    for (; *word; word++)
        strbuf_puts(out, *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
    strbuf_putc(out, '\'');
}

/* The config and its flags: commands to go on with begin with them. */
static void words_of(struct strbuf *out, const struct args *args)
{
    add_word(out, args->operands[0]);
    for (size_t i = 0; i < args->n_settings; i++) {
        strbuf_printf(out, " --%s ", args->settings[i].name);
        add_word(out, args->settings[i].value);
    }
}

static enum status print(const struct diagnosis *d, const struct args *args)
{
    struct strbuf out;
    strbuf_init(&out);
    if (args_has(args, "json"))
        diagnosis_json(&out, d);
    else
        diagnosis_text(&out, d, args_has(args, "verbose"));
    fputs(out.s, stdout);
    strbuf_release(&out);
    return diagnosis_verdict(d) == OUTCOME_FAIL ? STATUS_FAILED : STATUS_OK;
}

static enum status cmd_diagnose(const struct args *args, struct err *err)
{
    struct config config;
    int64_t steps = PROBE_STEPS;
    if (comm_launched())
        return err_set(err, STATUS_USAGE,
                       "diagnose looks at one process; run it without mpirun");
    enum status st = args_int(args, "probe-steps", 1, PROBE_STEPS_MAX, &steps, err);
    if (st)
        return st;
    st = settings_unchecked(&config, args->operands[0], args, err);
    if (!st) {
        struct strbuf words;
        struct diagnosis *d = mem_zalloc(1, sizeof *d);
        strbuf_init(&words);
        words_of(&words, args);
        diagnose(d, &config, words.s, steps);
        st = print(d, args);
        strbuf_release(&words);
        mem_free(d);
    }
    config_release(&config);
    return st;
}
#endif

const struct command command_diagnose = {
    .name = "diagnose",
    .run = OF_TRAINER(cmd_diagnose),
    .summary = "look at a training before it begins: what fails, how long",
    .operands = "CONFIG",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .trains = true,
    .takes_settings = true,
    .about =
        "Machine, memory, data, settings and disk are checked; a few real steps, a\n"
        "validation and a checkpoint are timed. Nothing is kept. Exit code 1 where a\n"
        "check says FAIL.",
    .example = "diagnose examples/tiny.yaml",
};
