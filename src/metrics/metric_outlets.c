#include "metrics/metric_outlets.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "http/http_server.h"
#include "http/listen_socket.h"
#include "metrics/metrics_push.h"
#include "metrics/prometheus_text.h"

#include <string.h>

struct metric_outlets {
    struct metric_outlets_options o;
    struct metric_set set;
    struct metric_board board;
    struct http_server *server;
    struct metrics_push *push;
    struct strbuf page; /* of the file */
    bool has_warned;    /* of the file */
};

bool metric_outlets_wanted(const struct metric_outlets_options *o)
{
    return o->port >= 0 || *o->file || *o->otlp.url;
}

enum status metric_outlets_check(const struct metric_outlets_options *o, struct err *err)
{
    enum status st = *o->otlp.url ? metrics_push_check(o->otlp.url, err) : STATUS_OK;
    if (st)
        return err_prefix(err, "metrics_otlp");
    st = o->port >= 0 ? listen_address_check(o->address, err) : STATUS_OK;
    return st ? err_prefix(err, "metrics_address") : STATUS_OK;
}

/* In the server's thread. */
static void write_page(void *context, struct strbuf *out)
{
    struct metric_outlets *m = context;
    struct metric_values v;
    metric_board_get(&m->board, &v);
    prometheus_text(out, &m->set, &v);
}

static enum status open_page(struct metric_outlets *m, struct err *err)
{
    const struct http_page page = {.path = "/metrics",
                                   .content_type = PROMETHEUS_CONTENT_TYPE,
                                   .write = write_page,
                                   .context = m};
    char url[HTTP_URL_MAX];
    enum status st =
        http_server_open(&m->server, m->o.address, m->o.port, &page, url, err);
    if (st)
        return err_prefix(err, "metrics_port");
    log_line("metrics %s%s", url,
             listen_address_is_local(m->o.address)
                 ? ""
                 : "   (open to all who reach this machine)");
    return STATUS_OK;
}

static enum status open_push(struct metric_outlets *m, struct err *err)
{
    const struct metrics_push_options o = {.url = m->o.otlp.url,
                                           .interval_s = m->o.otlp.interval_s};
    enum status st = metrics_push_open(&m->push, &o, &m->set, &m->board, err);
    return st ? err_prefix(err, "metrics_otlp") : STATUS_OK;
}

/* The texts are kept too: see metric_outlets_close(). */
static void keep_set(struct metric_set *out, const struct metric_set *set)
{
    *out = *set;
    out->run = mem_strdup(set->run);
    for (size_t i = 0; i < set->n_info; i++)
        out->info[i].value = mem_strdup(set->info[i].value);
}

static void set_release(struct metric_set *set)
{
    mem_free((char *)set->run);
    for (size_t i = 0; i < set->n_info; i++)
        mem_free((char *)set->info[i].value);
}

enum status metric_outlets_open(struct metric_outlets **out,
                                const struct metric_outlets_options *o,
                                const struct metric_set *set,
                                const struct metric_values *first, struct err *err)
{
    struct metric_outlets *m = mem_zalloc(1, sizeof *m);
    m->o = *o;
    keep_set(&m->set, set);
    metric_board_init(&m->board);
    metric_board_put(&m->board, first); /* before anything shows it */
    strbuf_init(&m->page);
    enum status st = *o->file ? file_check_writable(o->file, err) : STATUS_OK;
    if (st)
        err_prefix(err, "metrics_file");
    if (!st && o->port >= 0)
        st = open_page(m, err);
    if (!st && *o->otlp.url)
        st = open_push(m, err);
    if (st)
        metric_outlets_close(m);
    else
        *out = m;
    return st;
}

void metric_outlets_put(struct metric_outlets *m, const struct metric_values *v)
{
    metric_board_put(&m->board, v);
}

static enum status replace_file(struct metric_outlets *m, struct err *err)
{
    struct new_file f;
    enum status st = new_file_open(&f, m->o.file, NEW_FILE_REGULAR, err);
    if (st)
        return st;
    if (write_fully(f.fd, m->page.s, m->page.len))
        return new_file_commit_unsynced(&f, err);
    st = file_err(err, "write", m->o.file);
    new_file_discard(&f);
    return st;
}

void metric_outlets_write_file(struct metric_outlets *m, const struct metric_values *v)
{
    struct err err = ERR_INIT;
    if (!*m->o.file)
        return;
    strbuf_clear(&m->page);
    prometheus_text(&m->page, &m->set, v);
    if (!replace_file(m, &err))
        return;
    if (!m->has_warned)
        log_line("warning: metrics_file: %s; the training goes on, and it is tried again",
                 err.text);
    m->has_warned = true;
}

int64_t metric_outlets_dropped(struct metric_outlets *m)
{
    return m->push ? metrics_push_dropped(m->push) : -1;
}

void metric_outlets_close(struct metric_outlets *m)
{
    if (!m)
        return;
    http_server_close(m->server);
    strbuf_release(&m->page);
    if (!metrics_push_close(m->push))
        return; /* its thread still looks at what there is */
    set_release(&m->set);
    mem_free(m);
}
