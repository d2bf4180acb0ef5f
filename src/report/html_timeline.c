/*
 * The timeline's data as one JSON array that the page's script draws, and for readers
 * without the script the longest spans as a table.
 *
 * Each span is nine integers: lane, depth, kind, name, begin and duration in ns, shapes,
 * source line, slack in ns (-1: not known); name, shapes and line are indices into
 * "names". "labels" has for each name what work on a device is called instead, or "".
 */
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/text_fit.h"
#include "base/units.h"
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_SHOWN = 20, HOVER_NAME_COLUMNS = 1000 };

/* The names used, numbered from 1; 0 is "no name". */
struct used_names {
    uint32_t *number; /* (run's names) */
    name_id *id;      /* (n) */
    size_t n, cap;
};

static uint32_t used_number(struct used_names *u, name_id id)
{
    if (!id)
        return 0;
    if (!u->number[id]) {
        vec_grow(u->id, u->cap, u->n + 1);
        u->id[u->n++] = id;
        u->number[id] = (uint32_t)u->n;
    }
    return u->number[id];
}

static void put_spans(struct json_writer *w, const struct timeline *t,
                      struct used_names *u)
{
    json_key(w, "spans");
    json_begin_array(w);
    for (size_t i = 0; i < t->n_spans; i++) {
        const struct timeline_span *s = &t->spans[i];
        json_int(w, s->lane);
        json_int(w, s->depth);
        json_int(w, s->kind);
        json_int(w, used_number(u, s->name));
        json_int(w, s->begin_ns);
        json_int(w, s->dur_ns);
        json_int(w, used_number(u, s->shapes));
        json_int(w, used_number(u, s->line));
        json_int(w, s->slack_ns);
    }
    json_end(w);
}

/* Three integers a piece: lane, begin, end. */
static void put_path(struct json_writer *w, const struct timeline *t)
{
    json_key(w, "path");
    json_begin_array(w);
    for (size_t i = 0; i < t->n_path; i++) {
        json_int(w, t->path[i].lane);
        json_int(w, t->path[i].begin_ns);
        json_int(w, t->path[i].end_ns);
    }
    json_end(w);
}

/* Four integers a mark: finding, lane, begin, end. */
static void put_marks(struct json_writer *w, const struct timeline *t)
{
    json_key(w, "marks");
    json_begin_array(w);
    for (size_t i = 0; i < t->n_marks; i++) {
        json_int(w, t->marks[i].finding);
        json_int(w, t->marks[i].lane);
        json_int(w, t->marks[i].begin_ns);
        json_int(w, t->marks[i].end_ns);
    }
    json_end(w);
}

/* Six integers a bar: begin, end, number of the step (-1: none), and how many
 * thousandths of it compute, communication and copies take. */
static void put_map(struct json_writer *w, const struct timeline *t)
{
    json_key(w, "map");
    json_begin_array(w);
    for (size_t i = 0; i < t->n_map; i++) {
        const struct timeline_map_bar *b = &t->map[i];
        json_int(w, b->begin_ns);
        json_int(w, b->end_ns);
        json_int(w, b->step);
        json_int(w, (int64_t)(1000 * b->compute_frac + 0.5));
        json_int(w, (int64_t)(1000 * b->communication_frac + 0.5));
        json_int(w, (int64_t)(1000 * b->copies_frac + 0.5));
    }
    json_end(w);
}

static void put_names(struct json_writer *w, const struct timeline *t,
                      const struct used_names *u)
{
    struct arena text;
    arena_init(&text);
    json_key(w, "names");
    json_begin_array(w);
    json_string(w, "");
    for (size_t i = 0; i < u->n; i++)
        json_string(w,
                    text_clean(&text, run_name(t->a->run, u->id[i]), HOVER_NAME_COLUMNS));
    json_end(w);
    json_key(w, "labels");
    json_begin_array(w);
    json_string(w, "");
    for (size_t i = 0; i < u->n; i++) {
        const char *name = run_name(t->a->run, u->id[i]);
        const char *label = analysis_label(t->a, LANE_KIND_DEVICE, u->id[i]);
        json_string(w, label == name || !strcmp(label, name)
                           ? ""
                           : text_clean(&text, label, HOVER_NAME_COLUMNS));
    }
    json_end(w);
    arena_release(&text);
}

static void put_lanes(struct json_writer *w, const struct timeline *t)
{
    json_key(w, "lanes");
    json_begin_array(w);
    for (size_t i = 0; i < t->n_lanes; i++) {
        json_begin_object(w);
        json_field_string(w, "name", t->lanes[i].name);
        json_field_string(w, "kind", lane_kind_text[t->lanes[i].kind]);
        json_field_int(w, "rows", t->lanes[i].rows);
        if (t->lanes[i].other_rank)
            json_field_int(w, "rank", 1);
        json_end(w);
    }
    json_end(w);
}

static void put_data(struct strbuf *out, const struct timeline *t)
{
    struct strbuf json;
    struct json_writer w;
    struct used_names used = {0};
    used.number = mem_zalloc(t->a->run->names.n + 1, sizeof *used.number);
    strbuf_init(&json);
    json_init(&w, &json);
    w.compact = true;
    json_begin_object(&w);
    json_field_int(&w, "window", t->window_ns);
    json_key(&w, "kinds");
    json_begin_array(&w);
    for (int k = 0; k < SPAN_KIND_COUNT; k++)
        json_string(&w, span_kind_text[k]);
    json_end(&w);
    put_lanes(&w, t);
    put_spans(&w, t, &used);
    put_path(&w, t);
    put_marks(&w, t);
    put_map(&w, t);
    json_field_int(&w, "perBar", (int64_t)t->steps_per_bar);
    json_field_int(&w, "host", t->on_host);
    put_names(&w, t, &used);
    json_end(&w);
    strbuf_puts(out, "<script type=\"application/json\" id=\"timeline-data\">");
    html_script_json(out, json.s);
    strbuf_puts(out, "</script>\n");
    strbuf_release(&json);
    mem_free(used.number);
    mem_free(used.id);
}

static int compare_longer(const void *a, const void *b, void *spans)
{
    const struct timeline_span *all = spans;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (all[i].dur_ns != all[j].dur_ns)
        return all[i].dur_ns > all[j].dur_ns ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void put_longest_row(struct strbuf *out, const struct timeline *t,
                            const struct timeline_span *s)
{
    struct arena text;
    arena_init(&text);
    strbuf_puts(out, "<tr><td class=\"name\" title=\"");
    html_text(out, text_clean(&text, run_name(t->a->run, s->name), HOVER_NAME_COLUMNS));
    strbuf_puts(out, "\">");
    html_text(out,
              text_clean(&text, analysis_label(t->a, t->lanes[s->lane].kind, s->name),
                         HOVER_NAME_COLUMNS));
    strbuf_printf(out, "</td><td>%s</td><td class=\"name\">", span_kind_text[s->kind]);
    html_text(out, t->lanes[s->lane].name);
    strbuf_printf(out,
                  "</td><td class=\"num\">%.3f ms</td><td class=\"num\">%s</td></tr>\n",
                  (double)s->begin_ns / 1e6, unit_ns(s->dur_ns).s);
    arena_release(&text);
}

static void put_longest(struct strbuf *out, const struct timeline *t)
{
    size_t *order = mem_zalloc(t->n_spans + 1, sizeof *order);
    size_t n = 0;
    for (size_t i = 0; i < t->n_spans; i++)
        if (!t->lanes[t->spans[i].lane].other_rank)
            order[n++] = i;
    qsort_r(order, n, sizeof *order, compare_longer, t->spans);
    size_t shown = n < LONGEST_SHOWN ? n : LONGEST_SHOWN;
    strbuf_printf(out,
                  "<details><summary>The same as text: its %zu longest spans</summary>\n"
                  "<div class=\"scroll\"><table><thead><tr><th>name</th><th>kind</th>"
                  "<th>lane</th><th class=\"num\">begins</th><th class=\"num\">takes</th>"
                  "</tr></thead><tbody>\n",
                  shown);
    for (size_t i = 0; i < shown; i++)
        put_longest_row(out, t, &t->spans[order[i]]);
    strbuf_puts(out, "</tbody></table></div></details>\n");
    mem_free(order);
}

static void put_map_caption(struct strbuf *out, const struct timeline *t)
{
    if (!t->n_map)
        return;
    strbuf_puts(out, "<p class=\"quiet caption\">The whole recording: ");
    if (t->map[0].step < 0)
        strbuf_printf(out, "as high as the share of a stretch in which the %s worked.",
                      t->on_host ? "host" : "GPU");
    else
        strbuf_printf(out, "a bar is %s, as high as the share in which the %s worked.",
                      t->steps_per_bar > 1 ? "several steps" : "a step",
                      t->on_host ? "host" : "GPU");
    strbuf_puts(out, " Framed is what the timeline shows.</p>\n");
}

void html_timeline(struct strbuf *out, const struct timeline *t)
{
    strbuf_puts(out, "<div id=\"timeline\" class=\"timeline\">");
    put_map_caption(out, t);
    strbuf_puts(
        out,
        "<canvas id=\"timeline-map\" class=\"map\" role=\"img\" aria-label=\"the whole "
        "recording, step by step\"></canvas>\n<div class=\"tools\">"
        "<label class=\"find\"><input type=\"search\" id=\"timeline-find\" "
        "placeholder=\"find a name\" aria-label=\"find spans by name\">"
        "<span id=\"timeline-found\" role=\"status\"></span></label>"
        "<span class=\"buttons\"><button type=\"button\" data-zoom=\"in\" title=\"zoom "
        "in\">+"
        "</button><button type=\"button\" data-zoom=\"out\" title=\"zoom out\">−</button>"
        "<button type=\"button\" data-zoom=\"all\">show all</button>"
        "<button type=\"button\" id=\"timeline-rows\" hidden>all rows</button></span>"
        "</div>\n<p class=\"legend\" id=\"timeline-legend\"></p>\n"
        "<canvas id=\"timeline-canvas\" tabindex=\"0\" role=\"img\" aria-label=\"spans "
        "on "
        "their lanes; the longest are listed as text below\"></canvas>\n"
        "<div id=\"timeline-tip\" class=\"tip\" hidden></div></div>\n"
        "<noscript><p class=\"quiet\">The picture needs JavaScript; the list below does "
        "not.</p></noscript>\n");
    put_data(out, t);
    put_longest(out, t);
}
