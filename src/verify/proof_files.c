/* The gate "files": what other programs would read of the second's training. */
#ifdef GAIT_TRAIN
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "checkpoint/durable.h"
#include "checkpoint/hf_export.h"
#include "train/save.h"
#include "verify/gate_fill.h"
#include "verify/proof.h"
#include "verify/weights_hash.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t SHARD_BYTES = 5000000000;
enum { STEPS = 1 };

struct written {
    char *folder, *checkpoint, *hf; /* NULL: not made */
    struct strbuf saved;            /* of the checkpoint: its step's folder */
    struct content_hash_text weights;
    uint64_t bytes; /* of the Hugging Face folder's tensors */
};

static enum status make_folder(struct written *w, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    w->folder = path_join(tmp && *tmp ? tmp : "/tmp", "gait-verify-XXXXXX");
    if (!mkdtemp(w->folder)) {
        enum status s = file_err(err, "make", w->folder);
        mem_free(w->folder);
        w->folder = NULL;
        return s;
    }
    w->checkpoint = path_join(w->folder, "checkpoint");
    w->hf = path_join(w->folder, "hf");
    return STATUS_OK;
}

/* Nothing of it may stay behind, however it ended. */
static void remove_all(struct written *w)
{
    if (w->folder) {
        if (w->saved.len)
            durable_remove(w->saved.s, NULL);
        durable_remove(w->checkpoint, NULL);
        durable_remove(w->hf, NULL);
        durable_remove(w->folder, NULL);
    }
    strbuf_release(&w->saved);
    mem_free(w->folder);
    mem_free(w->checkpoint);
    mem_free(w->hf);
}

static enum status train_and_write(struct written *w, const struct config *config,
                                   struct err *err)
{
    struct config own;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    struct step_report report;
    const struct hf_export_options o = {.dtype = SAFETENSORS_DTYPE_F32,
                                        .max_shard_bytes = SHARD_BYTES};
    struct hf_export_result result;
    config_copy_for_trial(&own, config);
    enum status s = trainer_open(t, &own, err);
    if (s == STATUS_OK) {
        for (int64_t i = 0; i < STEPS && s == STATUS_OK; i++)
            s = trainer_step(t, i, &report, err);
        if (s == STATUS_OK)
            s = save_to(w->checkpoint, t, STEPS, err);
        if (s == STATUS_OK)
            s = checkpoint_find_latest(&w->saved, w->checkpoint, err);
        w->weights = weights_hash(t);
        trainer_close(t, s);
    }
    if (s == STATUS_OK)
        s = hf_export(w->checkpoint, w->hf, &o, &result, err);
    if (s == STATUS_OK)
        w->bytes = result.bytes;
    config_release(&own);
    mem_free(t);
    return s;
}

/* Are the weights that a training would begin with from there the ones that were
 * written? */
static enum status read_back(bool *equal, const char *from, const struct written *w,
                             const struct config *config, struct err *err)
{
    struct config own;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    config_copy_for_trial(&own, config);
    enum status s = config_set(&own, "init_from", from, err);
    /* a tokenizer that is Gait's own is not in the Hugging Face folder */
    char *tokenizer = path_join(w->saved.s, "tokenizer.json");
    if (s == STATUS_OK && file_exists(tokenizer))
        s = config_set(&own, "tokenizer", tokenizer, err);
    mem_free(tokenizer);
    if (s == STATUS_OK)
        s = trainer_open(t, &own, err);
    if (s == STATUS_OK) {
        *equal = !strcmp(weights_hash(t).s, w->weights.s);
        trainer_close(t, STATUS_OK);
    }
    config_release(&own);
    mem_free(t);
    return s;
}

static void decide(struct verify_result *out, const struct written *w,
                   const struct config *after)
{
    struct gate_result *g = gate_add(out, "files");
    const char *const what[] = {"the checkpoint", "the Hugging Face folder"};
    const char *const from[] = {w->checkpoint, w->hf};
    for (int i = 0; i < 2; i++) {
        struct err why = ERR_INIT;
        bool equal = false;
        if (read_back(&equal, from[i], w, after, &why)) {
            gate_decide(out, g, VERDICT_FAIL, "files_unreadable", "%s cannot be read: %s",
                        what[i], why.text);
            return;
        }
        if (!equal) {
            gate_decide(out, g, VERDICT_FAIL, "files_differ",
                        "%s holds other weights than were trained", what[i]);
            return;
        }
    }
    gate_decide(out, g, VERDICT_PASS, "",
                "checkpoint and Hugging Face folder (%s) give back the same weights, "
                "bit by bit",
                unit_bytes((double)w->bytes).s);
}

void proof_gate_files(struct verify_result *out, const struct config *after)
{
    struct written w = {.folder = NULL};
    struct err why = ERR_INIT;
    strbuf_init(&w.saved);
    log_status("the files of the second");
    enum status s = make_folder(&w, &why);
    if (s == STATUS_OK)
        s = train_and_write(&w, after, &why);
    if (s == STATUS_OK)
        decide(out, &w, after);
    else
        does_not_apply(gate_add(out, "files"), "not_written", why.text);
    log_status_clear();
    remove_all(&w);
}

#endif
