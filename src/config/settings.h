/*
 * Every setting, written down once. From this list come struct config, the YAML reader,
 * the --key flags, --help, docs/config.md and all range checks.
 *
 * To add a setting: add one line here, read it as config->key, run scripts/draw-docs.
 * What it may not be together with others: config_check.c. What else it is called
 * elsewhere: key_alias.c.
 *
 *   INT(section, key, default, min, max, help)
 *   REAL(section, key, default, min, max, help)
 *   BOOL(section, key, default, help)
 *   TEXT(section, key, default, help)
 *   CHOICE(section, key, default, "one|of|these", help)      stored as text
 *
 * In YAML a key stands at the top level or under its section; on the command line it is
 * --key value, with - or _ alike. Keys are unique over all sections.
 */
#ifndef GAIT_CONFIG_SETTINGS_H
#define GAIT_CONFIG_SETTINGS_H

#define SETTINGS(INT, REAL, BOOL, TEXT, CHOICE)                                          \
    CHOICE(model, model, "gpt2", "gpt2|llama", "family of the model")                    \
    INT(model, layers, 4, 1, 1024, "transformer blocks")                                 \
    INT(model, heads, 4, 1, 1024, "attention heads; must divide width")                  \
    INT(model, kv_heads, 0, 0, 1024, "heads of keys and values; 0 = heads")              \
    INT(model, width, 128, 1, 65536, "size of the residual stream")                      \
    INT(model, hidden, 0, 0, 1048576, "size inside the MLP; 0 = the family's usual")     \
    INT(model, context, 64, 1, 1048576, "tokens the model sees at once")                 \
    BOOL(model, bias, true, "gpt2: biases in linears and norms; llama has none")         \
    CHOICE(model, tied_head, "auto", "auto|true|false",                                  \
           "head = token embedding; auto: gpt2 yes, llama no")                           \
    REAL(model, norm_epsilon, 1e-5, 1e-12, 0.1, "added to the variance in norms")        \
    REAL(model, rope_theta, 10000, 1, 1e12, "llama: base of the rotary frequencies")     \
    CHOICE(model, rope_scaling, "none", "none|llama3",                                   \
           "llama: stretch rotary frequencies")                                          \
    REAL(model, rope_factor, 8, 1, 1e6, "llama3 scaling: how far")                       \
    REAL(model, rope_low_freq_factor, 1, 0.001, 1e6,                                     \
         "llama3 scaling: below it, in full")                                            \
    REAL(model, rope_high_freq_factor, 4, 0.001, 1e6, "llama3 scaling: above it, none")  \
    INT(model, rope_original_context, 8192, 1, 1073741824,                               \
        "llama3 scaling: context it was trained on")                                     \
    REAL(model, dropout, 0, 0, 0.99, "share of activations dropped in training")         \
                                                                                         \
    INT(training, batch_size, 12, 1, 1048576, "sequences a step, of all ranks together") \
    INT(training, gradient_accumulation, 1, 1, 1048576,                                  \
        "parts a rank's batch is computed in")                                           \
    INT(training, steps, 2000, 0, 1000000000,                                            \
        "optimizer steps; not used where epochs is set")                                 \
    INT(training, epochs, 0, 0, 1000000, "passes over the training text; 0 = by steps")  \
    CHOICE(training, precision, "f32", "f32|bf16",                                       \
           "of linears; weights are kept in f32")                                        \
    BOOL(training, recompute, false, "compute blocks again in backward: less memory")    \
    BOOL(training, fused_qkv, true, "q, k and v as one product")                         \
    BOOL(training, fused_gate_up, true, "llama: gate and up as one product")             \
    CHOICE(training, attention, "tiled", "tiled|plain",                                  \
           "plain keeps all scores, tiled none")                                         \
    CHOICE(training, optimizer, "adamw", "adamw|sgd", "who moves the weights")           \
    REAL(training, momentum, 0.9, 0, 0.999999, "sgd's momentum; 0 = none")               \
    REAL(training, learning_rate, 1e-3, 0, 10, "peak rate of the schedule")              \
    REAL(training, min_learning_rate, 1e-4, 0, 10, "rate at the last step")              \
    CHOICE(training, schedule, "cosine", "cosine|linear|constant|wsd",                   \
           "the rate after warm-up; wsd: stable, then decay")                            \
    REAL(training, decay_fraction, 0.2, 0, 1, "wsd: share of the steps that decay")      \
    CHOICE(training, decay_shape, "linear", "linear|sqrt", "wsd: a line, or 1 - sqrt")   \
    INT(training, warmup_steps, 100, 0, 1000000000, "steps of linear warm-up")           \
    REAL(training, weight_decay, 0.1, 0, 10, "on matrices; never on biases and norms")   \
    REAL(training, beta1, 0.9, 0, 0.999999, "AdamW's first moment")                      \
    REAL(training, beta2, 0.99, 0, 0.999999, "AdamW's second moment")                    \
    REAL(training, adam_epsilon, 1e-8, 1e-20, 1, "AdamW's epsilon")                      \
    REAL(training, gradient_clip, 1.0, 0, 1e9, "largest gradient norm; 0 = off")         \
    INT(training, top_k, 0, 0, 1000000,                                                  \
        "tensors with the largest gradients that a step updates; 0 = all")               \
    INT(training, seed, 1337, 0, 9007199254740991,                                       \
        "of initialisation, data order and dropout")                                     \
    INT(training, threads, 0, 0, 4096, "OpenMP threads; 0 = all cores")                  \
    INT(training, rank_timeout, 20, 0, 1000000,                                          \
        "seconds until a silent rank is named; 0: not watched")                          \
    INT(training, rank_give_up, 300, 0, 1000000,                                         \
        "seconds until a silent rank ends the job; 0: never")                            \
    CHOICE(training, engine, "auto", "auto|onednn|own|reference",                        \
           "who makes the products; auto: the faster")                                   \
    CHOICE(training, device, "auto", "auto|cpu", "the trainer runs on CPUs only")        \
    TEXT(training, init_from, "", "weights to start from: a folder; empty = random")     \
    INT(training, log_interval, 100, 1, 1000000000, "steps between progress lines")      \
    INT(training, eval_interval, 500, 0, 1000000000,                                     \
        "steps between validations; 0: end")                                             \
    INT(training, eval_batches, 100, 1, 1000000, "batches a validation")                 \
    INT(training, eval_batch_size, 0, 0, 1048576,                                        \
        "sequences of such a batch; 0 = batch_size")                                     \
    INT(training, eval_min_context, 0, 0, 1048575,                                       \
        "validation skips tokens with fewer before them")                                \
    TEXT(training, log_dir, "", "for metrics.jsonl and TensorBoard; empty = nowhere")    \
                                                                                         \
    INT(metrics, metrics_port, -1, -1, 65535,                                            \
        "serve metrics to Prometheus; 0 = a free port, -1 = no")                         \
    TEXT(metrics, metrics_address, "127.0.0.1",                                          \
         "where to listen; 0.0.0.0 = open to all who reach it")                          \
    TEXT(metrics, metrics_file, "", "the same as a file, *.prom; empty = none")          \
    TEXT(metrics, metrics_otlp, "", "send them to http://HOST:PORT by OTLP; empty = no") \
    REAL(metrics, metrics_otlp_seconds, 10, 1, 86400, "seconds between such messages")   \
    TEXT(metrics, run_name, "", "label of the metrics; empty = the config file's name")  \
                                                                                         \
    TEXT(checkpoint, checkpoint_dir, "", "where checkpoints go; empty = nowhere")        \
    INT(checkpoint, checkpoint_interval, 0, 0, 1000000000, "steps between them; 0: end") \
    INT(checkpoint, checkpoint_epochs, 0, 0, 1000000,                                    \
        "epochs between them; 0 = not by epoch")                                         \
    REAL(checkpoint, checkpoint_minutes, 0, 0, 1e6,                                      \
         "minutes between them; 0 = not by time")                                        \
    INT(checkpoint, checkpoint_keep, 2, 0, 1000000, "newest that stay; 0 = all")         \
    CHOICE(checkpoint, resume, "auto", "auto|never|must",                                \
           "go on from checkpoint_dir; auto: if it can")                                 \
                                                                                         \
    TEXT(data, dataset, "builtin",                                                       \
         "builtin, shakespeare, or the path of a text or tokens")                        \
    TEXT(data, data_dir, "", "where named data sets lie; empty = GAIT_DATA's folder")    \
    TEXT(data, tokenizer, "auto", "auto, bytes, chars, gpt2, or the path of one")        \
    INT(data, max_chars, 0, 0, 9007199254740991,                                         \
        "read only so much of the text; 0 = all")                                        \
    INT(data, num_workers, -1, -1, 256,                                                  \
        "threads that load data; 0 = none, -1 = by cores")                               \
    BOOL(data, shuffle, true, "sequences in random order")                               \
    INT(data, builtin_chars, 2000000, 1000, 1000000000,                                  \
        "characters of the built-in text")                                               \
    REAL(data, validation_fraction, 0.1, 0.001, 0.5, "share of the text kept apart")     \
                                                                                         \
    INT(profile, profile_steps, 20, 1, 100000, "steps that gait profile records")        \
    INT(profile, profile_warmup, 5, 0, 100000, "steps before it that it does not")

#endif
