/*
 * Any bytes as config.json and as model.safetensors.index.json of a Hugging Face
 * directory: an error that says why, or a shape that can be written and read back the
 * same, with a layout that holds together; no file name of an index leads out of its
 * folder.
 */
#include "checkpoint/hf_config.h"
#include "checkpoint/hf_index.h"
#include "checkpoint/hf_layout.h"
#include "checkpoint/shape_json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAYERS_LAID_OUT_MAX = 64 }; /* beyond it a layout is only larger */

static void check_layout(const struct model_shape *shape)
{
    struct model_shape s = *shape;
    struct hf_layout l;
    s.layers = s.layers < LAYERS_LAID_OUT_MAX ? s.layers : LAYERS_LAID_OUT_MAX;
    hf_layout_init(&l, &s);
    for (size_t i = 0; i < l.n; i++)
        if (hf_tensor_numbers(&l.tensor[i]) <= 0 ||
            hf_layout_find(&l, l.tensor[i].name) != &l.tensor[i])
            abort();
    hf_layout_release(&l);
}

static void check_config(const char *text, size_t size)
{
    struct model_shape shape, back;
    struct hf_special_tokens special, special_back;
    struct err err = ERR_INIT;
    struct strbuf out;
    if (hf_config_parse(&shape, &special, text, size, &err)) {
        if (!*err.text || err.status != STATUS_INPUT)
            abort();
        return;
    }
    strbuf_init(&out);
    hf_config_write(&out, &shape, &special, SAFETENSORS_DTYPE_F32);
    if (hf_config_parse(&back, &special_back, out.s, out.len, &err) ||
        shape_differences(&out, &shape, &back) || special.eos != special_back.eos ||
        special.bos != special_back.bos)
        abort();
    strbuf_release(&out);
    check_layout(&shape);
}

static void check_index(const char *text, size_t size)
{
    struct arena a;
    const struct json *root;
    struct err err = ERR_INIT;
    arena_init(&a);
    if (!json_read(&root, &a, text, size, &err) && !hf_index_check(root, &err))
        for (const struct json *j = json_get(root, "weight_map")->child; j; j = j->next)
            if (strchr(j->text, '/') || !strcmp(j->text, "..") || !*j->text)
                abort();
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_config((const char *)data, size);
    check_index((const char *)data, size);
    return 0;
}
