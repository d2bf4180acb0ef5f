/* The gates in 2 KB: docs/scripts.md, "Brief". */
#include "base/brief.h"
#include "base/path.h"
#include "verify/verify_files.h"

static void put_gate(struct brief *b, const struct gate_result *g)
{
    const struct gate_numbers *n = &g->numbers;
    brief_item(b);
    json_field_string(&b->w, "name", g->name);
    json_field_string(&b->w, "verdict", verdict_text[g->verdict]);
    json_field_text_or_null(&b->w, "code", g->code);
    json_field_text_or_null(&b->w, "unit", n->unit);
    brief_number(b, "before", n->before);
    brief_number(b, "after", n->after);
    json_field_text_or_null(&b->w, "change_unit", n->change_unit);
    brief_number(b, "change", n->change);
    brief_number(b, "change_low", n->change_low);
    brief_number(b, "change_high", n->change_high);
    brief_number(b, "allowed", n->allowed);
    brief_text(b, "remark", g->verdict == VERDICT_PASS ? NULL : g->remark,
               BRIEF_PLACE_BYTES);
    brief_item_end(b);
}

/* What a reader must see comes first. */
static void put_gates(struct brief *b, const struct verify_result *r)
{
    static const enum verdict order[] = {VERDICT_FAIL, VERDICT_UNSURE, VERDICT_PASS,
                                         VERDICT_NOT_APPLICABLE};
    brief_list(b, "gates");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < r->n; i++)
            if (r->gate[i].verdict == order[k])
                put_gate(b, &r->gate[i]);
    brief_list_end(b);
}

/* What comes next: where the time goes now; or a comparison that can tell. */
static void put_next(struct brief *b, const struct verify_result *r,
                     const struct verify_shown *s)
{
    struct strbuf after;
    strbuf_init(&after);
    path_add_shell_word(&after, s->subject[1], "AFTER");
    bool unsure = verify_verdict(r, s->unread) == VERDICT_UNSURE;
    if (unsure && s->recordings)
        brief_next(b, "gait verify --brief --ab 'python before.py' 'python after.py'",
                   NULL, NULL);
    else if (s->recordings)
        brief_next(b, "gait analyze --brief {}", after.s, "AFTER");
    else
        brief_next(b, unsure ? "gait verify --brief --budget 300 BEFORE AFTER" : NULL,
                   NULL, NULL);
    strbuf_release(&after);
}

void verify_print_brief(struct strbuf *out, const struct verify_result *r,
                        const struct verify_shown *shown)
{
    struct brief b;
    brief_begin(&b, out, "verify");
    json_field_string(&b.w, "verdict", verdict_text[verify_verdict(r, shown->unread)]);
    json_field_int(&b.w, "gates_applied", (int64_t)r->applied);
    json_field_int(&b.w, "gates_failed", (int64_t)r->failed);
    json_field_int(&b.w, "gates_unsure", (int64_t)r->unsure);
    json_field_int(&b.w, "files_unread", (int64_t)shown->unread);
    put_next(&b, r, shown);
    brief_text(&b, "busy", r->busy, BRIEF_PLACE_BYTES);
    put_gates(&b, r);
    brief_end(&b);
}
