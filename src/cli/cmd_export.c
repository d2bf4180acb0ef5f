/* A checkpoint as a directory that Hugging Face's libraries load; a run as a trace that
 * Perfetto opens. */
#include "cli/args.h"
#include "cli/export_chrome.h"

static const struct option options[] = {
    {"hf", 0, "DIR", "a checkpoint: the Hugging Face directory to write"},
    {"chrome", 0, NULL, "a run or trace: its spans for Perfetto, written to -o"},
    {"output", 'o', "FILE", "the trace to write, *.json"},
    {"rank", 0, "N", "which rank of the run, where it holds several"},
    {"dtype", 0, "f32|bf16", "of the weights; bf16 rounds them (default f32)"},
    {"max-shard-size", 0, "N", "bytes a file, like 500MB or 2GB (default 5GB)"},
    {"force", 0, NULL, "replace an earlier export in DIR"},
    {"json", 0, NULL, "the result as JSON"},
};

#ifdef GAIT_TRAIN
#include "base/json_writer.h"
#include "base/units.h"
#include "checkpoint/hf_export.h"
#include "cli/size_text.h"

#include <stdio.h>
#include <string.h>

enum { EXPORT_JSON_VERSION = 1 };

static const char default_shard_size[] = "5GB";

static enum status read_options(struct hf_export_options *o, const struct args *args,
                                struct err *err)
{
    const char *dtype = args_value(args, "dtype");
    const char *size = args_value(args, "max-shard-size");
    *o = (struct hf_export_options){.dtype = SAFETENSORS_DTYPE_F32,
                                    .force = args_has(args, "force")};
    if (!args_value(args, "hf"))
        return err_set(
            err, STATUS_USAGE,
            "export needs --hf DIR or --chrome; for example: gait export out --hf "
            "my-model");
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
    enum status st = read_options(&o, args, err);
    if (!st)
        st = hf_export(args->operands[0], dir, &o, &result, err);
    if (!st)
        (args_has(args, "json") ? print_json : print_result)(&result, &o, dir);
    return st;
}
#else
#define export_hf command_needs_trainer
#endif

static enum status cmd_export(const struct args *args, struct err *err)
{
    if (!args_has(args, "chrome"))
        return export_hf(args, err);
    if (args_has(args, "hf"))
        return err_set(err, STATUS_USAGE,
                       "--hf and --chrome exclude each other; give one");
    return export_chrome(args, err);
}

const struct command command_export = {
    .name = "export",
    .run = cmd_export,
    .summary = "a checkpoint for Hugging Face, a run for Perfetto",
    .operands = "CHECKPOINT|RUN|TRACE",
    .min_operands = 1,
    .max_operands = 1,
    OPTIONS(options),
    .about =
        "CHECKPOINT is a folder step-…, the folder above it (its latest is meant), or\n"
        "another Hugging Face directory. DIR appears whole or not at all.\n"
        "With --chrome, the kept spans of a run go to a Chrome trace, arrows from\n"
        "launches included; for SQL, a run file is an SQLite database already.",
    .example = "export out --hf my-model --dtype bf16",
};
