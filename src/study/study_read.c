#include "study/study.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/path.h"

#include <math.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 << 20 };

bool study_is_folder(const char *folder)
{
    char *path = path_join(folder, STUDY_FILE);
    bool there = file_is_dir(folder) && file_exists(path);
    mem_free(path);
    return there;
}

/* NULL and an err where it cannot be read. */
static const struct json *read_json(struct study *s, const char *folder, const char *name,
                                    const char *format, struct err *err)
{
    struct err why = ERR_INIT;
    char *text = NULL, *path = path_join(folder, name);
    size_t len;
    const struct json *j = NULL;
    if (file_read(&text, &len, path, FILE_BYTES_MAX, err))
        j = NULL;
    else if (json_read(&j, &s->arena, text, len, &why))
        err_set(err, STATUS_INPUT, "%s: %s", path, why.text);
    else if (strcmp(json_string_or(json_get(j, "format"), ""), format) != 0) {
        err_set(err, STATUS_INPUT, "%s is not of the format %s", path, format);
        j = NULL;
    }
    mem_free(text);
    mem_free(path);
    return j;
}

static double number(const struct json *j, const char *key)
{
    return json_double_or(json_get(j, key), NAN);
}

static const char *text(const struct json *j, const char *key)
{
    return json_string_or(json_get(j, key), "");
}

/* Room for an element of `size` bytes for each of the array's. */
static void *rows(struct study *s, const struct json *array, size_t size, size_t *n)
{
    *n = array && array->kind == JSON_KIND_ARRAY ? array->n : 0;
    void *room = arena_alloc(&s->arena, (*n + 1) * size);
    memset(room, 0, (*n + 1) * size);
    return room;
}

static void read_stages(struct study *s, const struct json *j)
{
    const struct json *array = json_get(j, "stages");
    s->stage = rows(s, array, sizeof *s->stage, &s->stages);
    size_t i = 0;
    for (const struct json *r = s->stages ? array->child : NULL; r; r = r->next, i++)
        s->stage[i] = (struct study_stage){.name = text(r, "name"),
                                           .command = text(r, "command"),
                                           .file = text(r, "file"),
                                           .answers = text(r, "answers"),
                                           .reason = text(r, "reason"),
                                           .left_out = text(r, "left_out"),
                                           .seconds = number(r, "seconds")};
}

static void read_changes(struct study *s, const struct json *array)
{
    s->change = rows(s, array, sizeof *s->change, &s->changes);
    size_t i = 0;
    for (const struct json *r = s->changes ? array->child : NULL; r; r = r->next, i++)
        s->change[i] = (struct study_change){.setting = text(r, "setting"),
                                             .was = text(r, "was"),
                                             .is = text(r, "is"),
                                             .alone = number(r, "alone"),
                                             .going_back = number(r, "going_back")};
}

static void read_trials(struct study *s, const struct json *array)
{
    s->trial = rows(s, array, sizeof *s->trial, &s->trials);
    size_t i = 0;
    for (const struct json *r = s->trials ? array->child : NULL; r; r = r->next, i++)
        s->trial[i] = (struct study_trial){.stage = text(r, "stage"),
                                           .before = text(r, "before"),
                                           .after = text(r, "after"),
                                           .why_not = text(r, "why_not"),
                                           .predicted = number(r, "predicted_change"),
                                           .measured = number(r, "measured_change"),
                                           .low = number(r, "low"),
                                           .high = number(r, "high")};
}

static void read_batches(struct study *s, const struct json *array)
{
    s->batch = rows(s, array, sizeof *s->batch, &s->batches);
    size_t i = 0;
    for (const struct json *r = s->batches ? array->child : NULL; r; r = r->next, i++)
        s->batch[i] =
            (struct study_batch){.size = number(r, "batch_size"),
                                 .samples_ratio = number(r, "samples_per_s_ratio"),
                                 .bytes = number(r, "bytes"),
                                 .reason = text(r, "reason")};
}

static void read_search(struct study *s, const struct json *j)
{
    if (!j)
        return;
    s->searched = true;
    s->faster = json_bool_or(json_get(j, "faster"), false);
    s->cut_short = json_bool_or(json_get(j, "cut_short"), false);
    s->search_time = (struct study_time){number(j, "change"), number(j, "change_low"),
                                         number(j, "change_high")};
    s->prediction_error = number(j, "prediction_error");
    s->predictions = number(j, "predictions");
    read_changes(s, json_get(j, "changed"));
    read_trials(s, json_get(j, "trials"));
    read_batches(s, json_get(j, "batches"));
}

static void read_ablation(struct study *s, const struct json *j)
{
    const struct json *array = json_get(j, "rows");
    s->ablation = rows(s, array, sizeof *s->ablation, &s->ablations);
    size_t i = 0;
    for (const struct json *r = s->ablations ? array->child : NULL; r; r = r->next, i++) {
        const struct json *alone = json_get(r, "alone"), *all = json_get(r, "so_far");
        const struct json *predicted = json_get(r, "predicted");
        s->ablation[i] =
            (struct study_ablation){.what = text(r, "what"),
                                    .setting = text(r, "setting"),
                                    .reason = text(r, "reason"),
                                    .same_model = text(alone, "same_model"),
                                    .at_most = number(predicted, "alone_at_most"),
                                    .predicted = number(predicted, "so_far"),
                                    .alone = number(alone, "speedup"),
                                    .alone_low = number(alone, "speedup_low"),
                                    .alone_high = number(alone, "speedup_high"),
                                    .so_far = number(all, "speedup"),
                                    .so_far_low = number(all, "speedup_low"),
                                    .so_far_high = number(all, "speedup_high"),
                                    .off_ns = number(all, "off_ns"),
                                    .on_ns = number(all, "on_ns")};
    }
}

static void read_proof(struct study *s, const struct json *j)
{
    const struct json *array = json_get(j, "gates");
    s->gate = rows(s, array, sizeof *s->gate, &s->gates);
    size_t i = 0;
    for (const struct json *r = s->gates ? array->child : NULL; r; r = r->next, i++)
        s->gate[i] = (struct study_gate){.name = text(r, "name"),
                                         .verdict = text(r, "verdict"),
                                         .before = text(r, "before"),
                                         .after = text(r, "after"),
                                         .remark = text(r, "remark"),
                                         .before_value = number(r, "before_value"),
                                         .after_value = number(r, "after_value"),
                                         .change = number(r, "change"),
                                         .low = number(r, "change_low"),
                                         .high = number(r, "change_high")};
}

static void read_proof_time(struct study *s)
{
    const struct study_gate *g = study_gate_of(s, "step time");
    if (g)
        s->proof_time = (struct study_time){g->change, g->low, g->high};
}

enum status study_read(struct study *out, const char *folder, struct err *err)
{
    *out = (struct study){.search_time = {NAN, NAN, NAN}, .proof_time = {NAN, NAN, NAN}};
    arena_init(&out->arena);
    const struct json *j = read_json(out, folder, STUDY_FILE, "gait-study", err);
    if (!j) {
        study_release(out);
        return STATUS_INPUT;
    }
    out->config = text(j, "config");
    read_stages(out, j);
    const struct json *tune = read_json(out, folder, "tune.json", "gait-tune", NULL),
                      *ablation =
                          read_json(out, folder, "ablation.json", "gait-ablation", NULL),
                      *verify =
                          read_json(out, folder, "verify.json", "gait-verify", NULL);
    read_search(out, tune);
    read_ablation(out, ablation);
    read_proof(out, verify);
    out->busy[0] = (struct study_busy){"tune", text(tune, "busy")};
    out->busy[1] = (struct study_busy){"verify", text(verify, "busy")};
    out->busy[2] = (struct study_busy){"ablate", text(ablation, "busy")};
    read_proof_time(out);
    return STATUS_OK;
}

void study_release(struct study *s)
{
    arena_release(&s->arena);
}

const struct study_gate *study_gate_of(const struct study *s, const char *name)
{
    for (size_t i = 0; i < s->gates; i++)
        if (!strcmp(s->gate[i].name, name))
            return &s->gate[i];
    return NULL;
}

/* What a gate is about: the model that comes out, or what a step costs. */
static bool is_of_model(const struct study_gate *g)
{
    return !strncmp(g->name, "same", 4) || !strcmp(g->name, "deterministic");
}

static bool has_failed(const struct study_gate *g)
{
    return !strcmp(g->verdict, "FAIL");
}

void study_put_verdict(struct strbuf *out, const struct study *s)
{
    size_t failed = 0, passed = 0;
    for (size_t i = 0; i < s->gates; i++) {
        const struct study_gate *g = &s->gate[i];
        passed += is_of_model(g) && !strcmp(g->verdict, "PASS");
        if (!is_of_model(g) || !has_failed(g))
            continue;
        strbuf_puts(out, failed++ ? ", " : "NOT the same model: ");
        strbuf_puts(out, g->name);
    }
    if (!failed)
        strbuf_puts(out, passed ? "the same model" : "not known whether the same model");
    for (size_t i = 0; i < s->gates; i++) {
        const struct study_gate *g = &s->gate[i];
        if (is_of_model(g) || !has_failed(g) || !strcmp(g->name, "step time"))
            continue;
        if (*g->after)
            strbuf_printf(out, "; %s %s instead of %s", g->name, g->after, g->before);
        else
            strbuf_printf(out, "; %s: %s", g->name, g->remark);
    }
}
