/* A checkpoint as a directory that Hugging Face's libraries load; a run as a trace that
 * Perfetto opens; the figures of a job as tables that engines for many jobs read. */
#include "cli/args.h"
#include "cli/export_chrome.h"
#include "cli/export_parquet.h"
#include "cli/read_options.h"

static const struct option options[] = {
    {"hf", 0, "DIR", "a checkpoint: the Hugging Face directory to write"},
    {"chrome", 0, NULL, "a run or trace: its spans for Perfetto, written to -o"},
    {"output", 'o', "FILE", "the trace to write, *.json"},
    {"rank", 0, "N", "which rank of the run, where it holds several"},
    {"parquet", 0, "DIR", "ranks of a job: their figures as tables, beside other jobs"},
    {"job", 0, "NAME",
     "with --parquet: the job (default: the name of the only file or folder)"},
    {"whole", 0, NULL, "with --parquet: these ranks are all, though more are recorded"},
    {"dtype", 0, "f32|bf16", "of the weights; bf16 rounds them (default f32)"},
    {"max-shard-size", 0, "N", "bytes a file, like 500MB or 2GB (default 5GB)"},
    {"force", 0, NULL, "replace an earlier export in DIR"},
    {"json", 0, NULL, "with --hf: the result as JSON"},
    READ_OPTIONS,
};

#include <stdint.h>
#include <string.h>

#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/units.h"
#include "checkpoint/hf_export.h"
#include "cli/size_text.h"

#include <stdio.h>

enum { EXPORT_JSON_VERSION = 1 };

static const char default_shard_size[] = "5GB";

static enum status read_hf_options(struct hf_export_options *o, const struct args *args,
                                   struct err *err)
{
    const char *dtype = args_value(args, "dtype");
    const char *size = args_value(args, "max-shard-size");
    *o = (struct hf_export_options){.dtype = SAFETENSORS_DTYPE_F32,
                                    .force = args_has(args, "force")};
    if (!args_value(args, "hf"))
        return err_set(
            err, STATUS_USAGE,
            "export needs --hf DIR, --chrome or --parquet DIR; for example: gait "
            "export out --hf my-model");
    if (dtype && !strcmp(dtype, "bf16"))
        o->dtype = SAFETENSORS_DTYPE_BF16;
    else if (dtype && strcmp(dtype, "f32") != 0)
        return err_set(err, STATUS_USAGE, "--dtype is \"%s\"; allowed: f32, bf16", dtype);
    if (!size_parse(&o->max_shard_bytes, size ? size : default_shard_size))
        return err_set(
            err, STATUS_USAGE,
            "--max-shard-size is \"%s\"; allowed: a size like 500MB, 2GB, 1GiB", size);
    return STATUS_OK;
}

static const char *family_name(const struct hf_export_result *r)
{
    return r->shape.family == MODEL_FAMILY_GPT2 ? "GPT2LMHeadModel" : "LlamaForCausalLM";
}

static const char *dtype_name(const struct hf_export_options *o)
{
    return o->dtype == SAFETENSORS_DTYPE_BF16 ? "bf16" : "f32";
}

static void print_json(const struct hf_export_result *r,
                       const struct hf_export_options *o, const char *dir)
{
    struct strbuf out;
    struct json_writer w;
    strbuf_init(&out);
    json_init(&w, &out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-export-result");
    json_field_int(&w, "version", EXPORT_JSON_VERSION);
    json_field_string(&w, "directory", dir);
    json_field_string(&w, "architecture", family_name(r));
    json_field_string(&w, "dtype", dtype_name(o));
    json_field_int(&w, "parameters", r->parameters);
    json_field_int(&w, "bytes", (int64_t)r->bytes);
    json_field_int(&w, "shards", (int64_t)r->shards);
    json_key(&w, "tokenizer");
    json_bool(&w, r->tokenizer);
    json_end(&w);
    fputs(out.s, stdout);
    strbuf_release(&out);
}

static void print_result(const struct hf_export_result *r,
                         const struct hf_export_options *o, const char *dir)
{
    printf("wrote %s: %s with %s parameters, %s of %s in %zu file%s%s\n", dir,
           family_name(r), unit_count((double)r->parameters).s,
           unit_bytes((double)r->bytes).s, dtype_name(o), r->shards,
           r->shards == 1 ? "" : "s", r->tokenizer ? ", with its tokenizer" : "");
    if (r->has_tokenizer && !r->tokenizer)
        printf("its tokenizer is Gait's own and stays behind\n");
    printf("next: AutoModelForCausalLM.from_pretrained(\"%s\")\n", dir);
}

static enum status export_hf(const struct args *args, struct err *err)
{
    struct hf_export_options o;
    struct hf_export_result result;
    const char *dir = args_value(args, "hf");
    enum status st = read_hf_options(&o, args, err);
    if (!st)
        st = hf_export(args->operands[0], dir, &o, &result, err);
    if (!st)
        (args_has(args, "json") ? print_json : print_result)(&result, &o, dir);
    return st;
}
#else
#define export_hf command_needs_trainer
#endif

enum { FORM_OPTIONS_MAX = 4 };

/* What is written, of how much, and with which options of its own. */
static const struct form {
    const char *option;
    enum status (*run)(const struct args *args, struct err *err);
    bool takes_many;
    const char *own[FORM_OPTIONS_MAX + 1];
} forms[] = {
    {"hf", export_hf, false, {"dtype", "max-shard-size", "force", "json"}},
    {"chrome", export_chrome, false, {"output", "rank", "threads", "memory"}},
    {"parquet", export_parquet, true, {"job", "whole", "threads", "memory"}},
};

enum { N_FORMS = sizeof forms / sizeof *forms };

static bool form_takes(const struct form *form, const char *option)
{
    for (const char *const *own = form->own; *own; own++)
        if (!strcmp(*own, option))
            return true;
    return false;
}

/* Nothing that was asked for is passed over. */
static enum status check_own_options(const struct args *args, const struct form *form,
                                     struct err *err)
{
    for (size_t i = 0; i < N_FORMS; i++)
        for (const char *const *own = forms[i].own; *own; own++)
            if (args_has(args, *own) && !form_takes(form, *own))
                return err_set(err, STATUS_USAGE, "--%s goes with --%s, not with --%s",
                               *own, forms[i].option, form->option);
    return STATUS_OK;
}

/* NULL and *err: there are several, or options that do not go with it. */
static const struct form *choose_form(const struct args *args, struct err *err)
{
    const struct form *form = NULL;
    for (size_t i = 0; i < N_FORMS; i++) {
        if (!args_has(args, forms[i].option))
            continue;
        if (form) {
            err_set(err, STATUS_USAGE, "--%s and --%s exclude each other; give one",
                    form->option, forms[i].option);
            return NULL;
        }
        form = &forms[i];
    }
    if (!form)
        return &forms[0];
    return check_own_options(args, form, err) ? NULL : form;
}

static enum status cmd_export(const struct args *args, struct err *err)
{
    const struct form *form = choose_form(args, err);
    if (!form)
        return err->status;
    if (args->n_operands > 1 && !form->takes_many)
        return args_wrong_operands(args, err);
    return form->run(args, err);
}

const struct command command_export = {
    .name = "export",
    .run = cmd_export,
    .summary = "a checkpoint for Hugging Face, a run for Perfetto, a job as Parquet",
    .operands = "CHECKPOINT|RUN|TRACE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "CHECKPOINT is a folder step-…, the folder above it (its latest is meant), or\n"
        "another Hugging Face directory. DIR appears whole or not at all.\n"
        "With --chrome, the kept spans of a run go to a Chrome trace, arrows from\n"
        "launches included; for SQL, a run file is an SQLite database already.\n"
        "With --parquet, figures of all ranks of a job go to DIR/TABLE/job=NAME, for\n"
        "DuckDB, Polars, pyarrow and others; exported again, they are replaced.",
    .example = "export out --hf my-model --dtype bf16",
};
