/* Lets a model write: text on stdout as it comes. */
#include "cli/args.h"

static const struct option options[] = {
    {"tokens", 'n', "N", "tokens to write, 200 unless said otherwise"},
    {"temperature", 't', "X",
     "1 = as the model says, lower = surer, 0 = always the likeliest"},
    {"top-k", 0, "K", "only the K likeliest; 0 = all"},
    {"top-p", 0, "P", "only the likeliest that have probability P together; 1 = all"},
    {"min-p", 0, "P", "only those with P times the likeliest's probability; 0 = all"},
    {"repetition-penalty", 0, "X", "above 1: tokens seen before become less likely"},
    {"seed", 's', "N", "another seed, another text; 1337 unless said otherwise"},
    {"prompts", 0, "FILE", "a prompt a line, after those given as words"},
    {"prompt-ids", 0, "I,I,…", "a prompt as token numbers"},
    {"print-ids", 0, NULL, "print token numbers instead of text"},
    {"ignore-stop", 0, NULL, "write on after the token that ends a text"},
    {"logits", 0, "FILE", "also write the prompt's logits, as safetensors"},
    {"precision", 0, "f32|bf16", "of linears; f32 unless said otherwise"},
    {"threads", 0, "N", "OpenMP threads; 0 = all cores"},
};

#ifdef GAIT_TRAIN
#include "cli/sampling.h"

static enum status read_options(struct sampling_options *o, const struct args *a,
                                struct err *err)
{
    const char *precision = args_value(a, "precision");
    int64_t seed = 1337;
    o->precision = precision ? precision : "f32";
    o->print_ids = args_has(a, "print-ids");
    o->ignore_stop = args_has(a, "ignore-stop");
    o->prompts_file = args_value(a, "prompts");
    o->prompt_ids = args_value(a, "prompt-ids");
    o->logits_file = args_value(a, "logits");
    enum status s = args_int(a, "tokens", 0, 10000000, &o->tokens, err);
    if (!s)
        s = args_real(a, "temperature", 0, 1000, &o->pick.temperature, err);
    if (!s)
        s = args_int(a, "top-k", 0, INT32_MAX, &o->pick.top_k, err);
    if (!s)
        s = args_real(a, "top-p", 0, 1, &o->pick.top_p, err);
    if (!s)
        s = args_real(a, "min-p", 0, 1, &o->pick.min_p, err);
    if (!s)
        s = args_real(a, "repetition-penalty", 1e-6, 1000, &o->pick.repetition_penalty,
                      err);
    if (!s)
        s = args_int(a, "seed", 0, INT64_MAX, &seed, err);
    if (!s)
        s = args_int(a, "threads", 0, 4096, &o->threads, err);
    o->pick.seed = (uint64_t)seed;
    return s;
}

static enum status cmd_sample(const struct args *args, struct err *err)
{
    struct sampling_options o = SAMPLING_OPTIONS_INIT;
    enum status s = read_options(&o, args, err);
    o.weights = args->operands[0];
    o.prompt = args->operands + 1;
    o.n_prompts = args->n_operands - 1;
    return s ? s : sampling_run(&o, err);
}
#endif

const struct command command_sample = {
    .name = "sample",
    .run = OF_TRAINER(cmd_sample),
    .summary = "let a trained model write text",
    .operands = "CHECKPOINT [PROMPT…]",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .trains = true,
    .about =
        "CHECKPOINT is a checkpoint_dir, one of its steps, or a Hugging Face directory.\n"
        "Several prompts are written at once. The same seed writes the same text.",
    .example = "sample models/shakespeare_char \"ROMEO:\" --tokens 300 --temperature 0.8",
};
