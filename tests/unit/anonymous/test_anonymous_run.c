/* Nothing of a job's own stays in any column of names; what is public does. */
#include "anonymous/anonymous_run.h"
#include "base/mem.h"
#include "cmocka_setup.h"
#include "run/run_file.h"
#include "run/table_def.h"

#include <stdio.h>
#include <string.h>

/* One row in every table, each name in it "SECRET.table.column". */
static void plant_everywhere(struct run *r)
{
    for (int which = 0; which < RUN_TABLE_COUNT; which++) {
        const struct table_def *def = &run_table_def[which];
        char row[512] = {0};
        struct table *t = run_table(r, which);
        table_add(t, def, row);
        for (size_t c = 0; c < def->n_columns; c++) {
            char text[128];
            if (def->columns[c].type != COLUMN_NAME)
                continue;
            snprintf(text, sizeof text, "SECRET.%s.%s", def->name, def->columns[c].name);
            column_set_int(t, &def->columns[c], 0, names_add_z(&r->names, text));
        }
    }
}

/* Columns that hold what the program or PyTorch words itself. A new column of names is
 * not among them before somebody has thought about it. */
static void only_known_columns_are_kept(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "SECRET.ranks.device",       "SECRET.ranks.framework",
        "SECRET.collectives.dtype",  "SECRET.collective_sums.dtype",
        "SECRET.facts.key",          "SECRET.facts.unit",
        "SECRET.replacements.rule",  "SECRET.op_tensors.shape",
        "SECRET.op_tensors.strides", "SECRET.op_tensors.dtype",
    };
    struct run r;
    struct scrub s;
    run_init(&r);
    scrub_init(&s);
    plant_everywhere(&r);
    r.ranks.source[0] = RUN_SOURCE_KINETO;
    anonymous_run(&r, &s);
    size_t found = 0;
    for (size_t i = 0; i < r.names.n; i++) {
        if (!strstr(r.names.str[i], "SECRET"))
            continue;
        bool known = false;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            known = known || !strcmp(kept[k], r.names.str[i]);
        if (!known)
            fail_msg("%s is still there", r.names.str[i]);
        found++;
    }
    assert_int_equal(found, sizeof kept / sizeof *kept);
    scrub_release(&s);
    run_release(&r);
}

static const struct {
    const char *before, *after; /* NULL: as before */
} example[] = {
    {"aten::copy_", NULL},
    {"ampere_sgemm_128x64_tn", NULL},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2u>(int)", NULL},
    {"Memcpy DtoH (Device -> Pinned)", NULL},
    {"ProfilerStep#3", NULL},
    {"Optimizer.step#AdamW.step", NULL},
    {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", NULL},
    {"autograd::engine::evaluate_function: AddmmBackward0", NULL},
    {"torch/nn/modules/module.py(1501): _call_impl", NULL},
    {"nn.Module: Linear_0", NULL},
    {"Torch-Compiled Region: 0/0", NULL},
    {"<built-in function collect>", NULL},
    {"[[768],[64,768]]", NULL},
    {"cudaLaunchKernel", NULL},
    {"triton_poi_fused_add_mul_0", NULL},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", NULL},
    {"/home/alice/acme/rocket.py(12): launch_rocket",
     "/folder1/folder2/folder3/file1.py(12): function1"},
    {"/home/alice/acme/rocket.py(40): forward",
     "/folder1/folder2/folder3/file1.py(40): forward"},
    {"rocket.py(9): collate_rockets", "file1.py(9): function2_collate"},
    {"/home/alice/venv/lib/python3.11/site-packages/torch/optim/adamw.py(3): step",
     "/folder1/folder2/folder4/lib/python3.11/site-packages/torch/optim/adamw.py(3): "
     "step"},
    {"nn.Module: RocketNet_3", "nn.Module: Module1_3"},
    {"acme::rocket_op", "folder3::name1"},
    {"RocketBackward", "name2_backward"},
    {"void rocket_softmax_kernel<float>(int)", "void name3_softmax<float>(int)"},
    {"at::native::copy<acme::RocketFunctor>", "at::native::copy<folder3::name4>"},
    {"rocket phase", "file1 name5"},
    {"triton_rocket_kernel", "name6"},
    {"cudarocket", "name7"},
    /* a relative path that begins as a package is somebody's own */
    {"datasets/acmesecret/patients.py(12): read_patient_zero",
     "folder5/folder6/file2.py(12): function3"},
    {"json/acmesecret/plan.py(3): patients", "json/folder6/file3.py(3): file2"},
    {"abc.py(3): patients", "abc.py(3): file2"},
    {"dataloader.py(3): read_patient_zero", "dataloader.py(3): function3"},
    {"/srv/torch/acmesecret.py(3): read_patient_zero",
     "/folder7/torch/folder6.py(3): function3"},
    {"/usr/lib/python3.11/json/decoder.py(3): raw_decode", NULL},
    {"/usr/lib/python3.11/acmesecret/x.py(3): step",
     "/usr/lib/python3.11/folder6/file4.py(3): step"},
    {"0x7f12ab 128x64 2ul 1e6 3d", NULL},
    {"7deadbeef 4cafe", "name8 name9"},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", NULL},
    {"cuMemcpyDtoHAsync_v2", NULL},
    {"cudaAcmeSecretThing", "name10"},
    {"std::array<char*, 2ul>", NULL},
    {"std::acmesecret", "std::folder6"},
};

static void the_examples_become_what_they_should(void **state)
{
    (void)state;
    struct scrub s;
    struct strbuf out;
    scrub_init(&s);
    strbuf_init(&out);
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        strbuf_clear(&out);
        scrub_code(&s, &out, example[i].before);
        assert_string_equal(out.s,
                            example[i].after ? example[i].after : example[i].before);
    }
    strbuf_clear(&out);
    scrub_sentence(&s, &out, "the file /srv/plans/moon.json has no rocket in it");
    assert_null(strstr(out.s, "moon"));
    assert_null(strstr(out.s, "plans"));
    assert_null(strstr(out.s, "rocket"));
    assert_non_null(strstr(out.s, " in it"));
    strbuf_release(&out);
    scrub_release(&s);
}

static void assert_sentence(struct scrub *s, const char *before, const char *after)
{
    struct strbuf out;
    strbuf_init(&out);
    scrub_sentence(s, &out, before);
    assert_string_equal(out.s, after);
    strbuf_release(&out);
}

static void sentences_quote_nothing_of_the_job(void **state)
{
    (void)state;
    struct scrub s;
    scrub_init(&s);
    scrub_forget(&s, "planted-host", SCRUB_HOST);
    scrub_forget(&s, "john.doe", SCRUB_NAME);
    assert_sentence(&s, "it isn't on planted-host.acme.org, said John.Doe.",
                    "it isn't on host1, said name1.");
    assert_sentence(&s, "implanted-host and planted-hosts",
                    "implanted-host and planted-hosts");
    assert_sentence(&s, "no key 'zeppelin' here", "no key 'name2' here");
    assert_sentence(&s, "it raised\nKeyError: zeppelin gone\nand ended",
                    "it raised\nname3: name2 name4\nand ended");
    scrub_release(&s);
}

/* The same word is the same in two runs, so that they can still be compared. */
static void two_runs_fit_together(void **state)
{
    (void)state;
    struct run a, b;
    struct scrub s;
    run_init(&a);
    run_init(&b);
    scrub_init(&s);
    lines_add(&a.lines,
              (struct source_line){.function = names_add_z(&a.names, "launch")});
    names_add_z(&b.names, "another");
    lines_add(&b.lines, (struct source_line){.function = names_add_z(&b.names, "rise")});
    lines_add(&b.lines,
              (struct source_line){.function = names_add_z(&b.names, "launch")});
    anonymous_run(&a, &s);
    anonymous_run(&b, &s);
    assert_string_equal(run_name(&a, a.lines.function[0]), "function1");
    assert_string_equal(run_name(&b, b.lines.function[0]), "function2");
    assert_string_equal(run_name(&b, b.lines.function[1]), "function1");
    assert_int_equal(names_find_z(&b.names, "another"), -1);
    scrub_release(&s);
    run_release(&a);
    run_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_known_columns_are_kept),
        cmocka_unit_test(the_examples_become_what_they_should),
        cmocka_unit_test(sentences_quote_nothing_of_the_job),
        cmocka_unit_test(two_runs_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
