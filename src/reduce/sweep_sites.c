#include "reduce/sweep_sites.h"

#include "base/mem.h"
#include "reduce/sweep.h"

void sweep_sites_init(struct sweep_sites *s, bool on)
{
    *s = (struct sweep_sites){.on = on};
}

void sweep_sites_release(struct sweep_sites *s)
{
    mem_free(s->sum);
    mem_free(s->slot);
    *s = (struct sweep_sites){0};
}

static size_t site_slot(const struct sweep_sites *s, uint32_t op, name_id module,
                        name_id line)
{
    uint64_t h = ((uint64_t)op << 32 | module) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32 ^ line) * 0xbf58476d1ce4e5b9u;
    size_t i = (h ^ h >> 32) & (s->slots - 1);
    for (; s->slot[i]; i = (i + 1) & (s->slots - 1)) {
        const struct site_sum *at = &s->sum[s->slot[i] - 1];
        if (at->op == op && at->module == module && at->line == line)
            break;
    }
    return i;
}

static void sites_grow(struct sweep_sites *s)
{
    mem_free(s->slot);
    s->slots = s->slots ? 2 * s->slots : 256;
    s->slot = mem_zalloc(s->slots, sizeof *s->slot);
    for (size_t i = 0; i < s->n; i++) {
        const struct site_sum *at = &s->sum[i];
        s->slot[site_slot(s, at->op, at->module, at->line)] = (uint32_t)i + 1;
    }
}

uint32_t sweep_site_find(struct sweep_sites *s, uint32_t op, name_id module, name_id line)
{
    if (s->n * 2 >= s->slots)
        sites_grow(s);
    size_t i = site_slot(s, op, module, line);
    if (!s->slot[i] && s->n >= SITES_MAX && op != OP_NONE)
        return sweep_site_find(s, OP_NONE, 0, 0);
    if (!s->slot[i]) {
        vec_grow(s->sum, s->cap, s->n + 1);
        s->sum[s->n] = (struct site_sum){.op = op, .module = module, .line = line};
        s->slot[i] = (uint32_t)++s->n;
    }
    return s->slot[i] - 1;
}

void sweep_sites_finish(struct sweep *sw)
{
    struct sweep_sites *s = &sw->sites;
    for (size_t i = 0; i < s->n; i++) {
        const struct site_sum *at = &s->sum[i];
        bool other = at->op == OP_NONE;
        name_id op = other ? names_add_z(&sw->run->names, "(other)")
                           : sweep_name(sw, sw->ops.sum[at->op].op.name);
        sites_add(&sw->run->sites, (struct site){.rank = sw->rank,
                                                 .op = op,
                                                 .module = sweep_name(sw, at->module),
                                                 .line = sweep_name(sw, at->line),
                                                 .count = at->count,
                                                 .self_ns = at->self_ns,
                                                 .device_ns = at->device_ns});
    }
}
