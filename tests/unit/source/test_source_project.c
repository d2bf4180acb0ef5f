/* What programs of one or several files are found to do, asked as rules ask. */
#include "cmocka_setup.h"

#include "base/strbuf.h"
#include "source/source_project.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 4 };

/* "2 5 b.py:3": the lines where the query hits; those of other files than the first with
 * their names. */
static struct strbuf hits(const char *query, const struct source_input *files, size_t n,
                          int threads)
{
    struct source_query *q = source_query_new(&query, 1);
    struct source_project p;
    struct strbuf out;
    strbuf_init(&out);
    source_project_read(&p, q, files, n, threads);
    for (size_t u = 0; u < n; u++)
        for (size_t i = 0; i < p.units[u].file.n_hits; i++) {
            const struct source_hit *h = &p.units[u].file.hits[i];
            if (!source_hit_holds(q, &p.units[u].file, h, p.units[u].program_words))
                continue;
            strbuf_printf(&out, "%s%s%s%d", out.len ? " " : "", u ? files[u].path : "",
                          u ? ":" : "", (int)h->line);
        }
    source_project_release(&p);
    source_query_free(q);
    return out;
}

static void assert_files(const char *query, const struct source_input *files, size_t n,
                         const char *lines)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct strbuf found = hits(query, files, n, threads);
        assert_string_equal(found.s, lines);
        strbuf_release(&found);
    }
}

static void assert_lines(const char *query, const char *text, const char *lines)
{
    struct source_input file = {"/nowhere/a.py", text, strlen(text)};
    assert_files(query, &file, 1, lines);
}

#define HERE "((call function: (identifier) @name) @hit (#eq? @name \"here\") "

static const char in_step[] = HERE "(#training-step?))";
static const char in_loop[] = HERE "(#training-loop?))";
static const char in_forward[] = HERE "(#in-forward?))";
static const char in_loader[] = HERE "(#in-loader?))";
static const char in_evaluation[] = HERE "(#in-evaluation?))";
static const char without_grad[] = HERE "(#without-grad?))";

static void a_loop_trains_that_calls_backward_and_step(void **state)
{
    (void)state;
    assert_lines(in_step,
                 "here()\n"
                 "for x in data:\n"
                 "    model(x).backward()\n"
                 "    optimizer.step()\n"
                 "    here()\n"
                 "for x in data:\n"
                 "    here()\n",
                 "5");
}

static void branches_that_few_steps_take_are_told_apart(void **state)
{
    static const char text[] = "for step, x in enumerate(data):\n"
                               "    loss = model(x)\n"
                               "    loss.backward()\n"
                               "    optimizer.step()\n"
                               "    if step % 100 == 0:\n"
                               "        here()\n"
                               "    if use_amp:\n"
                               "        here()\n"
                               "    if bad(loss):\n"
                               "        here()\n"
                               "        break\n";
    (void)state;
    assert_lines(in_step, text, "8");
    assert_lines(in_loop, text, "6 8 10");
}

static void what_a_step_calls_is_in_it(void **state)
{
    (void)state;
    assert_lines(in_step,
                 "def log(x):\n"
                 "    here()\n"
                 "def unused(x):\n"
                 "    here()\n"
                 "class Trainer:\n"
                 "    def step(self, x):\n"
                 "        self.model(x).backward()\n"
                 "        self.optimizer.step()\n"
                 "        self.note()\n"
                 "    def note(self):\n"
                 "        here()\n"
                 "    def fit(self):\n"
                 "        for x in self.data:\n"
                 "            self.step(x)\n"
                 "            log(x)\n",
                 "2 11");
}

static void files_of_a_project_are_one_program(void **state)
{
    static const char a[] = "from engine import train_one_epoch\n"
                            "import metrics\n"
                            "for epoch in range(10):\n"
                            "    train_one_epoch(model, data, optimizer)\n"
                            "    here()\n";
    static const char b[] = "from metrics import accuracy\n"
                            "def train_one_epoch(model, data, optimizer):\n"
                            "    for x in data:\n"
                            "        model(x).backward()\n"
                            "        optimizer.step()\n"
                            "        accuracy(x)\n";
    static const char c[] = "def accuracy(x):\n"
                            "    here()\n"
                            "def other(x):\n"
                            "    here()\n";
    struct source_input files[] = {{"/nowhere/train.py", a, sizeof a - 1},
                                   {"/nowhere/engine.py", b, sizeof b - 1},
                                   {"/nowhere/metrics.py", c, sizeof c - 1}};
    (void)state;
    assert_files(in_step, files, 3, "/nowhere/metrics.py:2");
    /* A program's words count for all its files, and for no others. */
    assert_files(HERE "(#job-has? \"train_one_epoch\"))", files, 3,
                 "5 /nowhere/metrics.py:2 /nowhere/metrics.py:4");
    assert_files(HERE "(#not-job-has? \"train_one_epoch\"))", files, 3, "");
}

/* Each file that an import adds may move what is known of those before it. */
static void imports_of_many_files_are_followed(void **state)
{
    (void)state;
    enum { FILES = 100 };
    char folder[] = "/tmp/gait-imports-XXXXXX", path[64];
    struct strbuf text;
    strbuf_init(&text);
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < FILES; i++) {
        strbuf_printf(&text, "import m%d\n", i);
        snprintf(path, sizeof path, "%s/m%d.py", folder, i);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        if (i + 1 < FILES)
            fprintf(f, "from m%d import step\n", i + 1);
        else
            fputs("def step(loss):\n    loss.backward()\n    optimizer.step()\n", f);
        fclose(f);
    }
    strbuf_puts(&text, "from m0 import step\nfor x in data:\n    step(x)\n    here()\n");
    snprintf(path, sizeof path, "%s/a.py", folder);
    struct source_input file = {path, text.s, text.len};
    assert_files(HERE ")", &file, 1, "104");
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/m%d.py", folder, i);
        unlink(path);
    }
    rmdir(folder);
    strbuf_release(&text);
}

static void frameworks_call_their_hooks(void **state)
{
    (void)state;
    assert_lines(in_step,
                 "class Net(pl.LightningModule):\n"
                 "    def training_step(self, batch, i):\n"
                 "        here()\n"
                 "    def validation_step(self, batch, i):\n"
                 "        here()\n"
                 "    def configure_optimizers(self):\n"
                 "        here()\n",
                 "3");
    assert_lines(in_step,
                 "class Mine(transformers.Trainer):\n"
                 "    def compute_loss(self, model, inputs):\n"
                 "        here()\n",
                 "3");
}

static void forward_and_what_it_calls_run_in_every_step(void **state)
{
    (void)state;
    assert_lines(in_forward,
                 "import torch.nn as nn\n"
                 "def helper(x):\n"
                 "    here()\n"
                 "class Net(nn.Module):\n"
                 "    def __init__(self):\n"
                 "        here()\n"
                 "    def forward(self, x):\n"
                 "        here()\n"
                 "        return helper(x)\n",
                 "3 8");
}

static void loaders_call_getitem_and_collate(void **state)
{
    (void)state;
    assert_lines(in_loader,
                 "class Data(torch.utils.data.Dataset):\n"
                 "    def __getitem__(self, i):\n"
                 "        here()\n"
                 "    def __len__(self):\n"
                 "        here()\n"
                 "def together(rows):\n"
                 "    here()\n"
                 "loader = DataLoader(Data(), collate_fn=together)\n",
                 "3 7");
}

static void evaluations_are_not_training(void **state)
{
    static const char text[] = "@torch.no_grad()\n"
                               "def evaluate(model, data):\n"
                               "    for x in data:\n"
                               "        here()\n"
                               "for x in train_data:\n"
                               "    model(x).backward()\n"
                               "    optimizer.step()\n"
                               "    if step % 100 == 0:\n"
                               "        evaluate(model, data)\n"
                               "with torch.no_grad():\n"
                               "    here()\n";
    (void)state;
    assert_lines(in_evaluation, text, "4");
    assert_lines(in_step, text, "");
    assert_lines(without_grad, text, "4 11");
}

static void names_are_known_by_their_imports(void **state)
{
    static const char query[] = "((call function: (_) @f) @hit (#is? @f "
                                "\"torch.nn.functional.*\" \"numpy.array\"))";
    (void)state;
    assert_lines(query,
                 "import torch.nn.functional as F, numpy as np\n"
                 "from torch.nn.functional import relu as rectify\n"
                 "F.gelu(x)\n"
                 "np.array(x)\n"
                 "rectify(x)\n"
                 "other.gelu(x)\n"
                 "np.zeros(3)\n",
                 "3 4 5");
}

static void values_are_known_by_how_they_were_made(void **state)
{
    static const char tensor[] = "((call function: (identifier) @f arguments: "
                                 "(argument_list . (_) @x)) @hit (#eq? @f \"look\") "
                                 "(#kind? @x \"tensor\"))";
    (void)state;
    assert_lines(tensor,
                 "import torch\n"
                 "model = torch.nn.Linear(3, 3)\n"
                 "y = model(x)\n"
                 "look(y)\n"
                 "look(y.shape[0])\n"
                 "look(y.mean())\n"
                 "look(y.item())\n"
                 "look(y.cpu())\n"
                 "look([y])\n"
                 "look(2 * y + 1)\n"
                 "n = len(y)\n"
                 "look(n)\n"
                 "y = y.detach().cpu().numpy()\n"
                 "look(y)\n",
                 "4 6 10");
}

static void broken_python_is_read_as_far_as_it_goes(void **state)
{
    static const char text[] = "for x in data:\n"
                               "    model(x).backward()\n"
                               "    optimizer.step()\n"
                               "    here()\n"
                               "def broken(:\n"
                               "    here(((\n";
    struct source_file f;
    struct err err = ERR_INIT;
    const char *query = in_step;
    struct source_query *q = source_query_new(&query, 1);
    (void)state;
    assert_int_equal(source_file_read(&f, q, text, strlen(text), "a.py", &err), 0);
    assert_int_equal(f.facts.error_line, 5);
    assert_true(f.n_hits >= 1);
    source_file_release(&f);
    source_query_free(q);
}

static void deep_nesting_is_refused(void **state)
{
    enum { DEEP = 20000 };
    struct strbuf text;
    struct source_file f;
    struct err err = ERR_INIT;
    const char *query = in_step;
    struct source_query *q = source_query_new(&query, 1);
    (void)state;
    strbuf_init(&text);
    for (int i = 0; i < DEEP; i++)
        strbuf_puts(&text, "(");
    strbuf_puts(&text, "1");
    for (int i = 0; i < DEEP; i++)
        strbuf_puts(&text, ")");
    assert_int_equal(source_file_read(&f, q, text.s, text.len, "deep.py", &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "deep.py is nested"));
    strbuf_release(&text);
    source_query_free(q);
}

/* Each base may be any of them: all the ways up would take years. */
static void many_classes_of_one_name_take_no_longer(void **state)
{
    enum { CLASSES = 200 };
    struct strbuf text;
    (void)state;
    strbuf_init(&text);
    for (int i = 0; i < CLASSES; i++)
        strbuf_puts(&text, "class A(A, A, A, A, A, A, A, A):\n"
                           "    def training_step(self, x):\n"
                           "        self.missing()\n");
    strbuf_puts(&text, "        here()\n");
    assert_lines(in_step, text.s, "601");
    strbuf_release(&text);
}

static void calls_in_calls_take_no_longer(void **state)
{
    enum { DEEP = 60 };
    struct strbuf text;
    (void)state;
    strbuf_init(&text);
    strbuf_puts(&text, "x = ");
    strbuf_repeat(&text, "next(", DEEP);
    strbuf_puts(&text, "x");
    strbuf_repeat(&text, ")", DEEP);
    strbuf_puts(&text, "\nclass A:\n"
                       "    def training_step(self, x):\n"
                       "        here()\n");
    assert_lines(in_step, text.s, "4");
    strbuf_release(&text);
}

int main(void)
{
    if (!source_available()) {
        print_message("skipped: this build has no tree-sitter\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_trains_that_calls_backward_and_step),
        cmocka_unit_test(branches_that_few_steps_take_are_told_apart),
        cmocka_unit_test(what_a_step_calls_is_in_it),
        cmocka_unit_test(files_of_a_project_are_one_program),
        cmocka_unit_test(imports_of_many_files_are_followed),
        cmocka_unit_test(frameworks_call_their_hooks),
        cmocka_unit_test(forward_and_what_it_calls_run_in_every_step),
        cmocka_unit_test(loaders_call_getitem_and_collate),
        cmocka_unit_test(evaluations_are_not_training),
        cmocka_unit_test(names_are_known_by_their_imports),
        cmocka_unit_test(values_are_known_by_how_they_were_made),
        cmocka_unit_test(broken_python_is_read_as_far_as_it_goes),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(many_classes_of_one_name_take_no_longer),
        cmocka_unit_test(calls_in_calls_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
