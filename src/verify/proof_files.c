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
#include "train/stop_signal.h"
#include "verify/gate_fill.h"
#include "verify/proof.h"
#include "verify/weights_hash.h"

#include <errno.h>
#include <signal.h>
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
    tmp = tmp && *tmp ? tmp : "/tmp";
    w->folder = path_join(tmp, "gait-verify-XXXXXX");
    if (!mkdtemp(w->folder)) {
        int why = errno;
        mem_free(w->folder);
        w->folder = NULL;
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot make a folder in %s: %s; set TMPDIR to another", tmp,
                       strerror(why));
    }
    w->checkpoint = path_join(w->folder, "checkpoint");
    w->hf = path_join(w->folder, "hf");
    return STATUS_OK;
}

/* However it ended, but by a kill. */
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

/* A checkpoint, and the weights again for the other folder. */
static enum status check_room(const struct written *w, const struct trainer *t,
                              struct err *err)
{
    double wanted = trainer_checkpoint_bytes(t) +
                    (double)sizeof(float) * (double)t->model.params.table.count;
    double room = file_room(w->folder);
    if (!(room < wanted)) /* not known: writing tells */
        return STATUS_OK;
    return err_set(
        err, STATUS_ENVIRONMENT,
        "%s has room for %s and the files take %s; set TMPDIR to a larger disk",
        w->folder, unit_bytes(room).s, unit_bytes(wanted).s);
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
        s = check_room(w, t, err);
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

/* A machine that cannot is no fault of the config. */
static void decide_failed(struct verify_result *out, struct gate_result *g,
                          enum status status, const char *code, const char *what,
                          const struct err *why)
{
    if (status == STATUS_ENVIRONMENT)
        does_not_apply(g, "not_written", why->text);
    else
        gate_decide(out, g, VERDICT_FAIL, code, "%s: %s", what, why->text);
}

static void decide(struct verify_result *out, const struct written *w,
                   const struct config *after)
{
    static const struct {
        const char *unreadable, *differs;
    } text[] = {{"the checkpoint cannot be read",
                 "the checkpoint holds other weights than were trained"},
                {"the Hugging Face folder cannot be read",
                 "the Hugging Face folder holds other weights than were trained"}};
    const char *const from[] = {w->checkpoint, w->hf};
    struct gate_result *g = gate_add(out, "files");
    for (int i = 0; i < 2; i++) {
        struct err why = ERR_INIT;
        bool equal = false;
        enum status s = read_back(&equal, from[i], w, after, &why);
        if (s != STATUS_OK) {
            decide_failed(out, g, s, "files_unreadable", text[i].unreadable, &why);
            return;
        }
        if (!equal) {
            gate_decide(out, g, VERDICT_FAIL, "files_differ", "%s", text[i].differs);
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
    log_status("checkpoint and Hugging Face folder: written and read back");
    stop_signal_watch(); /* the files must be removed first */
    enum status s = make_folder(&w, &why);
    if (s == STATUS_OK)
        s = train_and_write(&w, after, &why);
    if (s == STATUS_OK)
        decide(out, &w, after);
    else
        decide_failed(out, gate_add(out, "files"), s, "not_written",
                      "the files cannot be written", &why);
    log_status_clear();
    remove_all(&w);
    int signal = stop_signal_seen();
    stop_signal_release();
    if (signal)
        raise(signal);
}

#endif
