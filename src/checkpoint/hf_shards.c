#include "checkpoint/hf_shards.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/durable.h"
#include "checkpoint/number_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the tensors of one export share while they are written one after the other. */
struct converter {
    enum safetensors_dtype dtype;
    float *part; /* (part_numbers) before it is converted */
    size_t part_numbers;
    float *whole; /* of the tensor at hand, where it must be transposed */
    const struct tensor_source *whole_of;
};

struct outgoing {
    struct converter *converter;
    const struct tensor_source *source;
    bool transposed; /* how it is stored there */
};

static enum status fill_whole(const struct outgoing *o, struct err *err)
{
    struct converter *c = o->converter;
    if (c->whole_of == o->source)
        return STATUS_OK;
    mem_free(c->whole);
    c->whole_of = NULL;
    c->whole = mem_zalloc((size_t)(o->source->rows * o->source->columns), sizeof(float));
    enum status st = tensor_source_all(o->source, o->transposed, c->whole, err);
    if (!st)
        c->whole_of = o->source;
    return st;
}

static enum status get_converted(const struct safetensor *t, uint64_t first, size_t n,
                                 void *out, struct err *err)
{
    const struct outgoing *o = t->owner;
    struct converter *c = o->converter;
    size_t size = safetensors_dtype_bits[c->dtype] / 8, numbers = n / size;
    int64_t begin = (int64_t)(first / size);
    const float *from;
    enum status st;
    if (o->source->file && o->transposed != o->source->transposed) {
        st = fill_whole(o, err);
        from = c->whole + begin;
    } else {
        if (numbers > c->part_numbers) {
            c->part = mem_resize(c->part, numbers, sizeof *c->part);
            c->part_numbers = numbers;
        }
        st = tensor_source_read(o->source, begin, (int64_t)numbers, c->part, err);
        from = c->part;
    }
    if (!st)
        numbers_from_f32(out, c->dtype, from, numbers);
    return st;
}

void hf_shards_plan(struct hf_shards *p, const struct hf_layout *layout,
                    const struct hf_export_options *options)
{
    uint64_t in_shard = 0, size = safetensors_dtype_bits[options->dtype] / 8;
    *p = (struct hf_shards){.shard = mem_zalloc(layout->n, sizeof *p->shard), .n = 1};
    for (size_t i = 0; i < layout->n; i++) {
        int64_t numbers = hf_tensor_numbers(&layout->tensor[i]);
        uint64_t bytes = (uint64_t)numbers * size;
        if (in_shard && in_shard + bytes > options->max_shard_bytes) {
            p->n++;
            in_shard = 0;
        }
        p->shard[i] = p->n - 1;
        in_shard += bytes;
        p->bytes += bytes;
        p->parameters += numbers;
    }
}

void hf_shards_release(struct hf_shards *p)
{
    mem_free(p->shard);
    *p = (struct hf_shards){0};
}

void hf_shard_name(char name[HF_FILE_NAME_MAX], const struct hf_shards *p, size_t i)
{
    if (p->n == 1)
        snprintf(name, HF_FILE_NAME_MAX, "%s", hf_single_name);
    else
        snprintf(name, HF_FILE_NAME_MAX, "model-%05zu-of-%05zu.safetensors", i + 1, p->n);
}

static enum status write_shard(const struct hf_shards *p, size_t shard,
                               const char *folder, const struct hf_model *m,
                               struct converter *converter, struct err *err)
{
    const struct hf_layout *l = m->layout;
    const struct safetensors_pair metadata = {.key = "format", .value = "pt"};
    struct safetensor *tensor = mem_zalloc(l->n, sizeof *tensor);
    struct outgoing *outgoing = mem_zalloc(l->n, sizeof *outgoing);
    uint64_t(*shape)[2] = mem_zalloc(l->n, sizeof *shape);
    struct safetensors_content c = {.tensor = tensor, .metadata = &metadata, .pairs = 1};
    for (size_t i = 0; i < l->n; i++) {
        if (p->shard[i] != shard)
            continue;
        hf_tensor_file_shape(&l->tensor[i], shape[i]);
        outgoing[i] =
            (struct outgoing){converter, &m->source[i], l->tensor[i].transposed};
        tensor[c.n++] = (struct safetensor){.name = l->tensor[i].hf_name,
                                            .dtype = converter->dtype,
                                            .shape = shape[i],
                                            .dims = (size_t)l->tensor[i].dims,
                                            .get = get_converted,
                                            .owner = &outgoing[i]};
    }
    char name[HF_FILE_NAME_MAX];
    hf_shard_name(name, p, shard);
    char *path = path_join(folder, name);
    enum status st = safetensors_write(path, &c, err);
    mem_free(path);
    mem_free(shape);
    mem_free(outgoing);
    mem_free(tensor);
    return st;
}

struct placed {
    const char *name;
    size_t shard;
};

static int compare_placed(const void *a, const void *b)
{
    return strcmp(((const struct placed *)a)->name, ((const struct placed *)b)->name);
}

static void make_index(struct strbuf *out, const struct hf_shards *p,
                       const struct hf_layout *l)
{
    struct placed *placed = mem_zalloc(l->n, sizeof *placed);
    struct json_writer w;
    for (size_t i = 0; i < l->n; i++)
        placed[i] = (struct placed){l->tensor[i].hf_name, p->shard[i]};
    qsort(placed, l->n, sizeof *placed, compare_placed);
    json_init(&w, out);
    json_begin_object(&w);
    json_key(&w, "metadata");
    json_begin_object(&w);
    json_field_int(&w, "total_parameters", p->parameters);
    json_field_int(&w, "total_size", (int64_t)p->bytes);
    json_end(&w);
    json_key(&w, "weight_map");
    json_begin_object(&w);
    for (size_t i = 0; i < l->n; i++) {
        char name[HF_FILE_NAME_MAX];
        hf_shard_name(name, p, placed[i].shard);
        json_field_string(&w, placed[i].name, name);
    }
    json_end(&w);
    json_end(&w);
    mem_free(placed);
}

enum status hf_shards_write(const struct hf_shards *p, const char *folder,
                            const struct hf_model *m,
                            const struct hf_export_options *options, struct err *err)
{
    struct converter converter = {.dtype = options->dtype};
    enum status st = STATUS_OK;
    for (size_t i = 0; !st && i < p->n; i++)
        st = write_shard(p, i, folder, m, &converter, err);
    if (!st && p->n > 1) {
        struct strbuf index;
        strbuf_init(&index);
        make_index(&index, p, m->layout);
        char *path = path_join(folder, hf_index_name);
        st = durable_write(path, index.s, index.len, err);
        mem_free(path);
        strbuf_release(&index);
    }
    mem_free(converter.part);
    mem_free(converter.whole);
    return st;
}
