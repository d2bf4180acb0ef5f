/* A training of this user's, followed while it runs. */
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/args.h"
#include "live/live_file.h"
#include "live/live_list.h"
#include "top/top_screen.h"
#include "top/top_terminal.h"

#include <stdio.h>
#include <string.h>

/* A status is written about once a second: this shows it in time. */
enum { LOOK_EVERY_MS = 500 };
/* What is printed where there is no terminal. */
enum { PLAIN_COLUMNS = 80, PLAIN_ROWS = 24 };

/* The training that is shown: a file, and what it said last. */
struct followed {
    char *path;
    struct live_entry entry;
    bool any; /* no certain one was asked for: others can be shown too */
    int others;
};

static enum status none_found(const char *what, struct err *err)
{
    struct strbuf folder;
    strbuf_init(&folder);
    live_folder(&folder);
    enum status st =
        what ? err_set(err, STATUS_INPUT,
                       "%s is not the process, checkpoint_dir, log_dir or folder of a "
                       "training of yours on this machine (looked in %s); `gait top` "
                       "alone takes the one that began last",
                       what, folder.s)
             : err_set(err, STATUS_INPUT,
                       "no training of yours runs on this machine or ran lately (looked "
                       "in %s); start one in another terminal: gait train CONFIG",
                       folder.s);
    strbuf_release(&folder);
    return st;
}

static void follow(struct followed *f, const struct live_entry *e)
{
    mem_free(f->path);
    f->path = mem_strdup(e->path);
    f->entry = *e;
    f->entry.path = f->path;
}

static int count_others(const struct live_list *l, const char *path)
{
    int n = 0;
    for (size_t i = 0; i < l->n; i++)
        n += live_entry_is_alive(&l->entry[i]) && strcmp(l->entry[i].path, path) != 0;
    return n;
}

/* What the operand names; without one the training that began last, those that run
 * first. */
static enum status find(struct followed *f, const char *what, struct err *err)
{
    struct live_list list;
    const struct live_entry *found = NULL;
    *f = (struct followed){0};
    if (what && !file_is_dir(what) && file_exists(what)) {
        f->path = mem_strdup(what);
        return live_entry_read(&f->entry, what, err);
    }
    enum status st = live_list_read(&list, err);
    for (size_t i = 0; i < list.n && !found; i++)
        if (!what || live_entry_is(&list.entry[i], what))
            found = &list.entry[i];
    f->any = !what;
    if (found)
        follow(f, found);
    if (found && f->any)
        f->others = count_others(&list, f->path);
    live_list_release(&list);
    return found || st ? st : none_found(what, err);
}

/* The next one that runs, round and round. */
static void next(struct followed *f)
{
    struct live_list list;
    size_t at = 0;
    live_list_read(&list, NULL);
    while (at < list.n && strcmp(list.entry[at].path, f->path) != 0)
        at++;
    for (size_t i = 1; i <= list.n; i++) {
        const struct live_entry *e = &list.entry[(at + i) % list.n];
        if (live_entry_is_alive(e)) {
            follow(f, e);
            break;
        }
    }
    live_list_release(&list);
}

static void count_again(struct followed *f)
{
    struct live_list list;
    if (!f->any)
        return;
    live_list_read(&list, NULL);
    f->others = count_others(&list, f->path);
    live_list_release(&list);
}

/* What was read before stands where the file cannot be read. */
static void look_again(struct followed *f)
{
    struct live_entry now;
    if (live_entry_read(&now, f->path, NULL)) {
        f->entry.state = live_process_state(&f->entry.status);
        return;
    }
    now.path = f->path;
    f->entry = now;
}

static struct top_view view_of(const struct followed *f, bool on_screen)
{
    return (struct top_view){.status = &f->entry.status,
                             .state = f->entry.state,
                             .now_ns = clock_calendar_ns(),
                             .colour = log_stdout_colour(),
                             .keys = on_screen,
                             .others = on_screen ? f->others : 0};
}

static void draw(const struct followed *f)
{
    int columns, rows;
    struct strbuf lines;
    struct top_view view = view_of(f, true);
    strbuf_init(&lines);
    top_terminal_size(&columns, &rows);
    top_screen(&lines, &view, columns, rows);
    top_terminal_show(&lines, rows);
    strbuf_release(&lines);
}

static enum status watch(struct followed *f, struct err *err)
{
    enum status st = top_terminal_take(err);
    if (st)
        return st;
    for (;;) {
        char key = 0;
        draw(f);
        enum top_event event = top_terminal_wait(LOOK_EVERY_MS, &key);
        if (event == TOP_EVENT_LEAVE || key == 'q' || key == 'Q')
            break;
        if (key == 'n' && f->others)
            next(f);
        look_again(f);
        count_again(f);
    }
    top_terminal_give_back();
    return STATUS_OK;
}

static void print_once(const struct followed *f, bool json)
{
    struct strbuf out;
    struct top_view view = view_of(f, false);
    int columns = PLAIN_COLUMNS, rows = PLAIN_ROWS;
    strbuf_init(&out);
    if (top_terminal_is_there()) {
        top_terminal_size(&columns, &rows);
        rows--; /* the prompt needs one */
    }
    if (json)
        top_json(&out, &view);
    else
        top_screen(&out, &view, columns, rows);
    fputs(out.s, stdout);
    if (out.len && out.s[out.len - 1] != '\n')
        putchar('\n');
    strbuf_release(&out);
}

static enum status cmd_top(const struct args *args, struct err *err)
{
    struct followed f;
    bool json = args_has(args, "json");
    const char *what = args->n_operands ? args->operands[0] : NULL;
    enum status st = find(&f, what, err);
    if (!st && !json && !args_has(args, "once") && top_terminal_is_there())
        st = watch(&f, err);
    else if (!st)
        print_once(&f, json);
    mem_free(f.path);
    return st;
}

static const struct option options[] = {
    {"once", 0, NULL, "print it once and end, as without a terminal"},
    {"json", 0, NULL, "the same once, as JSON (docs/top.md)"},
};

const struct command command_top = {
    .name = "top",
    .run = cmd_top,
    .summary = "follow a training that runs: speed, time left, loss, memory",
    .operands = "[FOLDER|PROCESS]",
    .min_operands = 0,
    .max_operands = 1,
    OPTIONS(options),
    .about =
        "FOLDER is the training's checkpoint_dir or log_dir, or the folder that it was\n"
        "started in; PROCESS its number. Without one: your training that began last.\n"
        "Keys: q quits, n shows the next training where several run.",
    .example = "top --once",
};
