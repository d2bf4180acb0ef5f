/* Data sets and tokenizers: what they hold, and how to make them. */
#include "cli/args.h"

#include <stdint.h>

static const struct option options[] = {
    {"tokenizer", 't', "T", "bytes, chars, gpt2, or a tokenizer.json or its folder"},
    {"data-dir", 0, "DIR", "where gpt2-vocab/ lies [the environment's GAIT_DATA]"},
    {"output", 'o', "DIR", "prepare: the folder to make"},
    {"shard-tokens", 0, "N", "prepare: most tokens of a file [100000000]"},
    {"validation-fraction", 0, "F", "prepare: share kept apart at the end [0.1]"},
    {"separator", 0, "TOKEN", "prepare: put it behind each document"},
    {"threads", 0, "N", "prepare: threads [all cores]"},
    {"null", '0', NULL, "tokens: texts that end with a NUL byte, a line of ids for each"},
    {"check", 0, NULL, "show: read all tokens and compare them with their hashes"},
    {"json", 0, NULL, "prepare, show: the result as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/units.h"
#include "cli/data_actions.h"
#include "config/number_text.h"
#include "data/prepare.h"
#include "machine/cpu.h"

#include <stdio.h>
#include <string.h>

enum { PREPARE_JSON_VERSION = 1, THREADS_MAX = 1024 };

static enum status read_fraction(double *out, const struct args *args, struct err *err)
{
    const char *text = args_value(args, "validation-fraction");
    if (text && (!number_parse_real(out, text) || *out < 0 || *out > 0.5))
        return err_set(err, STATUS_USAGE,
                       "--validation-fraction is \"%s\"; allowed: a number from 0 to 0.5",
                       text);
    return STATUS_OK;
}

static enum status read_options(struct prepare_options *o, const struct args *args,
                                struct err *err)
{
    int64_t threads = cpu_usable_cores(), shard_tokens = 100000000;
    *o = (struct prepare_options){.input = args->operands + 1,
                                  .inputs = args->n_operands - 1,
                                  .dir = args_value(args, "output"),
                                  .tokenizer = args_value(args, "tokenizer"),
                                  .data_dir = args_value(args, "data-dir"),
                                  .separator = args_value(args, "separator"),
                                  .validation_fraction = 0.1};
    if (!o->inputs)
        return err_set(err, STATUS_USAGE, "data prepare needs texts or folders of texts");
    if (!o->dir || !*o->dir)
        return err_set(err, STATUS_USAGE, "data prepare needs -o DIR, a folder to make");
    if (!o->tokenizer)
        return err_set(err, STATUS_USAGE,
                       "data prepare needs --tokenizer: bytes, chars, gpt2 or a path");
    enum status st = read_fraction(&o->validation_fraction, args, err);
    if (!st)
        st = args_int(args, "threads", 1, THREADS_MAX, &threads, err);
    if (!st)
        st = args_int(args, "shard-tokens", 1, INT64_MAX / 4, &shard_tokens, err);
    o->threads = (int)threads;
    o->shard_tokens = (uint64_t)shard_tokens;
    return st;
}

static void print_json(const struct prepare_result *r, const char *dir)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-prepare");
    json_field_int(&w, "version", PREPARE_JSON_VERSION);
    json_field_string(&w, "path", dir);
    json_field_int(&w, "documents", (int64_t)r->documents);
    json_field_int(&w, "bytes", (int64_t)r->bytes);
    json_field_int(&w, "train_tokens", (int64_t)r->train_tokens);
    json_field_int(&w, "validation_tokens", (int64_t)r->validation_tokens);
    json_field_int(&w, "files", (int64_t)r->shards);
    json_field_int(&w, "vocabulary", (int64_t)r->vocabulary);
    json_field_double(&w, "wall_s", (double)r->wall_ns / 1e9, 6);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

enum status data_prepare(const struct args *args, struct err *err)
{
    struct prepare_options o;
    struct prepare_result r;
    enum status st = read_options(&o, args, err);
    if (!st)
        st = prepare_run(&o, &r, err);
    if (st)
        return st;
    if (args_has(args, "json"))
        print_json(&r, o.dir);
    else
        printf("%s: %s tokens to train and %s to validate, in %zu %s of uint%d, from %zu "
               "%s (%s) in %s\n",
               o.dir, unit_thousands((int64_t)r.train_tokens).s,
               unit_thousands((int64_t)r.validation_tokens).s, r.shards,
               r.shards == 1 ? "file" : "files", 8 * r.width, r.documents,
               r.documents == 1 ? "document" : "documents", unit_bytes((double)r.bytes).s,
               unit_ns(r.wall_ns).s);
    return STATUS_OK;
}

enum status data_only_input(const char **out, const struct args *args, struct err *err)
{
    if (args->n_operands != 2)
        return err_set(err, STATUS_USAGE, "data %s takes one input", args->operands[0]);
    *out = args->operands[1];
    return STATUS_OK;
}

static const struct {
    const char *name;
    enum status (*run)(const struct args *args, struct err *err);
} actions[] = {
    {"prepare", data_prepare},
    {"show", data_show},
    {"tokens", data_tokens},
    {"text", data_text},
};

static enum status cmd_data(const struct args *args, struct err *err)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, args->operands[0]))
            return actions[i].run(args, err);
    return err_set(err, STATUS_USAGE,
                   "data knows prepare, show, tokens and text, not \"%s\"; `gait help "
                   "data`",
                   args->operands[0]);
}
#endif

const struct command command_data = {
    .name = "data",
    .run = OF_TRAINER(cmd_data),
    .summary = "tokenize texts, look into data sets",
    .operands = "prepare|show|tokens|text INPUT…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "  prepare INPUT… -o DIR -t T   texts to files of tokens that training maps\n"
        "  show DIR|FILE                what a data set is\n"
        "  tokens FILE -t T             the ids of a text, one a line\n"
        "  text FILE -t T               the text of ids, which stand in a file as "
        "numbers\n"
        "\n"
        "An INPUT of prepare is a UTF-8 text or a folder of *.txt, each a document.",
    .example = "data prepare books/ -o books-gpt2 --tokenizer gpt2",
};
