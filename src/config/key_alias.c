#include "config/key_alias.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

const struct key_alias key_aliases[] = {
    {"train_batch_size", "batch_size"},
};
const size_t n_key_aliases = COUNT(key_aliases);

const struct key_unneeded keys_unneeded[] = {
    {"use_compile", "every step runs a plan that was made before the first"},
    {"pin_memory", "nothing is copied to another device"},
    {"persistent_workers", "threads that load data are not started anew each epoch"},
    {"prefetch_factor", "the loader itself decides how far it works ahead"},
};
const size_t n_keys_unneeded = COUNT(keys_unneeded);

static const struct key_alias elsewhere[] = {
    {"lr", "learning_rate"},
    {"min_lr", "min_learning_rate"},
    {"lr_schedule", "schedule"},
    {"lr_scheduler", "schedule"},
    {"lr_scheduler_type", "schedule"},
    {"n_layer", "layers"},
    {"num_layers", "layers"},
    {"num_hidden_layers", "layers"},
    {"n_head", "heads"},
    {"num_heads", "heads"},
    {"num_attention_heads", "heads"},
    {"n_kv_head", "kv_heads"},
    {"num_key_value_heads", "kv_heads"},
    {"n_embd", "width"},
    {"d_model", "width"},
    {"hidden_size", "width"},
    {"embedding_size", "width"},
    {"n_inner", "hidden"},
    {"intermediate_size", "hidden"},
    {"block_size", "context"},
    {"seq_len", "context"},
    {"sequence_length", "context"},
    {"max_position_embeddings", "context"},
    {"tie_word_embeddings", "tied_head"},
    {"layer_norm_epsilon", "norm_epsilon"},
    {"rms_norm_eps", "norm_epsilon"},
    {"max_steps", "steps"},
    {"max_iters", "steps"},
    {"iterations", "steps"},
    {"num_epochs", "epochs"},
    {"num_train_epochs", "epochs"},
    {"max_epochs", "epochs"},
    {"gradient_accumulation_steps", "gradient_accumulation"},
    {"gradient_checkpointing", "recompute"},
    {"activation_checkpointing", "recompute"},
    {"dtype", "precision"},
    {"use_amp", "precision"},
    {"mixed_precision", "precision"},
    {"flash_attention", "attention"},
    {"grad_clip", "gradient_clip"},
    {"max_grad_norm", "gradient_clip"},
    {"eps", "adam_epsilon"},
    {"warmup_iters", "warmup_steps"},
    {"num_threads", "threads"},
    {"eval_iters", "eval_batches"},
    {"save_interval", "checkpoint_interval"},
    {"save_steps", "checkpoint_interval"},
    {"save_total_limit", "checkpoint_keep"},
    {"out_dir", "checkpoint_dir"},
    {"output_dir", "checkpoint_dir"},
    {"logging_dir", "log_dir"},
    {"workers", "num_workers"},
};

bool key_same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
            return false;
    return *a == *b;
}

const char *key_of_alias(const char *name)
{
    for (size_t i = 0; i < n_key_aliases; i++)
        if (key_same(key_aliases[i].name, name))
            return key_aliases[i].key;
    return NULL;
}

const struct key_unneeded *key_find_unneeded(const char *name)
{
    for (size_t i = 0; i < n_keys_unneeded; i++)
        if (key_same(keys_unneeded[i].name, name))
            return &keys_unneeded[i];
    return NULL;
}

const char *key_of_elsewhere(const char *typed)
{
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (key_same(elsewhere[i].name, typed))
            return elsewhere[i].key;
    return NULL;
}
