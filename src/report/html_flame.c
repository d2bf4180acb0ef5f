/*
 * The flame graph's data as JSON that the page's script draws. Six integers a node,
 * parents first: depth, name, kind, host and device time in ns, calls; the name is an
 * index into "names".
 */
#include "base/json_writer.h"
#include "report/html_parts.h"

static void put_nodes(struct json_writer *w, const struct flame *f)
{
    json_key(w, "nodes");
    json_begin_array(w);
    for (size_t i = 0; i < f->n; i++) {
        const struct flame_node *x = &f->node[i];
        json_int(w, x->depth);
        json_int(w, x->name);
        json_int(w, x->kind);
        json_int(w, x->host_ns);
        json_int(w, x->device_ns);
        json_int(w, x->count);
    }
    json_end(w);
}

static void put_data(struct strbuf *out, const struct flame *f)
{
    struct strbuf json;
    struct json_writer w;
    strbuf_init(&json);
    json_init(&w, &json);
    w.compact = true;
    json_begin_object(&w);
    put_nodes(&w, f);
    json_key(&w, "names");
    json_begin_array(&w);
    for (size_t i = 0; i < f->n_names; i++)
        json_string(&w, f->names[i]);
    json_end(&w);
    json_end(&w);
    strbuf_puts(out, "<script type=\"application/json\" id=\"flame-data\">");
    html_script_json(out, json.s);
    strbuf_puts(out, "</script>\n");
    strbuf_release(&json);
}

void html_flame(struct strbuf *out, const struct flame *f)
{
    strbuf_puts(out, "<div class=\"timeline\"><div class=\"tools\">"
                     "<span class=\"buttons\">");
    if (f->device_ns > 0)
        strbuf_puts(out,
                    "<button type=\"button\" data-flame=\"host\">host time</button>"
                    "<button type=\"button\" data-flame=\"device\">GPU time</button>");
    strbuf_puts(out,
                "<button type=\"button\" data-flame=\"all\">show all</button></span>"
                "</div>\n<canvas id=\"flame-canvas\" tabindex=\"0\" role=\"img\" "
                "aria-label=\"calls, each below its caller; operators are listed as text "
                "below\"></canvas>\n"
                "<div id=\"flame-tip\" class=\"tip\" hidden></div></div>\n");
    put_data(out, f);
}
