/*
 * Every setting, written down once. From this list come struct config, the YAML reader,
 * the --key flags, --help, docs/config.md and all range checks.
 *
 * To add a setting: add one line here, read it as config->key, run scripts/draw-docs.
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
    CHOICE(model, model, "gpt2", "gpt2", "family of the model")                          \
    INT(model, layers, 4, 1, 1024, "transformer blocks")                                 \
    INT(model, heads, 4, 1, 1024, "attention heads; must divide width")                  \
    INT(model, width, 128, 1, 65536, "size of the residual stream")                      \
    INT(model, context, 64, 1, 1048576, "tokens the model sees at once")                 \
    BOOL(model, bias, true, "biases in linears and norms")                               \
                                                                                         \
    INT(training, batch_size, 12, 1, 1048576, "sequences a step, of all ranks together") \
    INT(training, steps, 2000, 0, 1000000000, "optimizer steps")                         \
    REAL(training, learning_rate, 1e-3, 0, 10, "peak rate of the cosine schedule")       \
    REAL(training, min_learning_rate, 1e-4, 0, 10, "rate at the last step")              \
    INT(training, warmup_steps, 100, 0, 1000000000, "steps of linear warm-up")           \
    REAL(training, weight_decay, 0.1, 0, 10, "on matrices; never on biases and norms")   \
    REAL(training, beta1, 0.9, 0, 0.999999, "AdamW's first moment")                      \
    REAL(training, beta2, 0.99, 0, 0.999999, "AdamW's second moment")                    \
    REAL(training, adam_epsilon, 1e-8, 1e-20, 1, "AdamW's epsilon")                      \
    REAL(training, gradient_clip, 1.0, 0, 1e9, "largest gradient norm; 0 = off")         \
    INT(training, seed, 1337, 0, 9007199254740991, "of initialisation and data order")   \
    INT(training, threads, 0, 0, 4096, "OpenMP threads; 0 = all cores")                  \
    CHOICE(training, engine, "onednn", "onednn|reference", "who computes the linears")   \
    CHOICE(training, device, "auto", "auto|cpu", "the trainer runs on CPUs only")        \
    INT(training, log_interval, 100, 1, 1000000000, "steps between progress lines")      \
    INT(training, eval_interval, 500, 0, 1000000000,                                     \
        "steps between validations; 0: end")                                             \
    INT(training, eval_batches, 100, 1, 1000000, "batches a validation")                 \
    INT(training, eval_min_context, 0, 0, 1048575,                                       \
        "validation skips tokens with fewer before them")                                \
    TEXT(training, checkpoint_dir, "",                                                   \
         "where the weights go at the end; empty = nowhere")                             \
                                                                                         \
    TEXT(data, dataset, "builtin", "builtin, or the path of a text file")                \
    INT(data, builtin_chars, 2000000, 1000, 1000000000,                                  \
        "characters of the built-in text")                                               \
    REAL(data, validation_fraction, 0.1, 0.001, 0.5, "share of the text kept apart")     \
                                                                                         \
    INT(profile, profile_steps, 20, 1, 100000, "steps that gait profile records")        \
    INT(profile, profile_warmup, 5, 0, 100000, "steps before it that it does not")

#endif
