#include "cli/profile_folder.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "findings/findings.h"
#include "report/profile_files.h"

#include <unistd.h>

enum { SECONDS_DECIMALS = 3 };

enum status profile_folder_make(const char *folder, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/flops_analysis", folder);
    enum status st = file_make_folders(path.s, err);
    strbuf_clear(&path);
    strbuf_printf(&path, "%s/summary.json", folder);
    if (!st)
        st = file_check_writable(path.s, err);
    strbuf_release(&path);
    return st;
}

static enum status write_in(const char *folder, const char *name,
                            const struct strbuf *text, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, name);
    enum status st = file_write(path.s, text->s, text->len, err);
    strbuf_release(&path);
    return st;
}

/* What ran, how long, where everything is, what to distrust. */
static void put_index(struct strbuf *out, const struct run *run, const char *run_path,
                      double took_s, const struct findings *f,
                      const bool written[PROFILE_FILES])
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", "gait-profile-summary");
    json_field_int(&w, "version", 1);
    json_field_double(&w, "runtime_s", took_s, SECONDS_DECIMALS);
    json_field_string(&w, "run", run_path);
    json_field_int(&w, "findings", (int64_t)f->n);
    json_key(&w, "files");
    json_begin_array(&w);
    for (size_t i = 0; i < PROFILE_FILES; i++)
        if (written[i])
            json_string(&w, profile_files[i].path);
    json_end(&w);
    json_key(&w, "warnings");
    json_begin_array(&w);
    for (size_t i = 0; i < run->notes.table.n; i++)
        json_string(&w, run_name(run, run->notes.text[i]));
    json_end(&w);
    json_end(&w);
}

/* What an earlier profile left here and this one has not is no file of this one. */
static void remove_in(const char *folder, const char *name)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, name);
    unlink(path.s);
    strbuf_release(&path);
}

static enum status write_all(const char *folder, const struct analysis *a,
                             const struct report_options *o, bool written[PROFILE_FILES],
                             struct err *err)
{
    struct strbuf text;
    enum status st = STATUS_OK;
    strbuf_init(&text);
    for (size_t i = 0; i < PROFILE_FILES && !st; i++) {
        strbuf_clear(&text);
        profile_files[i].put(&text, a, o);
        written[i] = text.len > 0;
        if (written[i])
            st = write_in(folder, profile_files[i].path, &text, err);
        else
            remove_in(folder, profile_files[i].path);
    }
    strbuf_release(&text);
    return st;
}

enum status profile_folder_write(const char *folder, const struct run *run,
                                 const char *run_path, double took_s, struct err *err)
{
    struct strbuf index;
    strbuf_init(&index);
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    struct report_options o = {.subject = run_path, .findings = f};
    bool written[PROFILE_FILES];
    enum status st = write_all(folder, a, &o, written, err);
    if (!st)
        put_index(&index, run, run_path, took_s, f, written);
    if (!st)
        st = write_in(folder, "summary.json", &index, err);
    if (!st)
        log_line("wrote %s/performance_summary_report.md and its figures", folder);
    findings_free(f);
    analysis_free(a);
    strbuf_release(&index);
    return st;
}
