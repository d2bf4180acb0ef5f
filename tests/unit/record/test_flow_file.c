/* The data flow that the hook writes becomes rows, and nothing in it is believed. */
#include "cmocka_setup.h"

#include "base/strbuf.h"
#include "record/contract.h"
#include "record/flow_file.h"
#include "run/op_traits.h"
#include "run/record_facts.h"

#include <string.h>

static const char HEAD[] =
    "{\"gait_flow\":3,\"steps\":2,\"sampled_steps\":4,\"sampled_ns\":400,\"files\":["
    "\"train.py\"],\"functions\":[\"main\"],\"texts\":[\"x = 1\"],"
    "\"ops\":[\"aten::ones\",\"aten::add.Tensor\"],\"traits\":[64,16],"
    "\"shapes\":[\"[2, 3]\",\"[3, "
    "1]\"],\"dtypes\":[\"float32\"],\"notes\":[\"said\"],\"rows\":[2,1,2,2,3]}\n";

/* A statement, two storages; a constant is made and then added to itself. */
static const int64_t VALUES[] = {
    0,  0,  0, 0, 0, 0, 7,  8,  -1, 0,     /* lines: file, function, text, line, caller */
    1,  1,  1, 9,                          /* samples: line, inner, part, count */
    24, 24, 0, 1, 9, 0,                    /* tensors: bytes, kept, source */
    0,  1,  0, 1, 0, 0, 0,  -1, 0,  0,     /* ops: name, step, line, inner, backward, */
    -1, 0,  0, 0, 5, 6,                    /* forward, thread, scalars */
    0,  1,  1, 2, 0, 2, 0,  0,  0,  0,     /* op_tensors: op, role, argument, */
    0,  1,  0, 0, 0, 0, 0,  0,  0,  0,  0, /* tensor, version, offset, shape, */
    1,  1,  1, 0, 0, 0, 11, 0,  12, -1, -1, 1000, -1, -1, -1}; /* strides … zero_rows */
enum { N_VALUES = sizeof VALUES / sizeof *VALUES };

struct made {
    struct strbuf bytes;
    struct run run;
};

static void make(struct made *m, const char *head, const int64_t *values, size_t n)
{
    strbuf_init(&m->bytes);
    strbuf_puts(&m->bytes, head);
    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < 64; b += 8)
            strbuf_putc(&m->bytes, (char)((uint64_t)values[i] >> b & 0xff));
    run_init(&m->run);
    ranks_add(&m->run.ranks, (struct rank){0});
}

static enum status parse(struct made *m)
{
    struct err err = ERR_INIT;
    return flow_file_parse(&m->run, m->bytes.s, m->bytes.len, &err);
}

static void done(struct made *m)
{
    run_release(&m->run);
    strbuf_release(&m->bytes);
}

static void a_file_becomes_rows(void **state)
{
    (void)state;
    struct made m;
    struct err err = ERR_INIT;
    make(&m, HEAD, VALUES, N_VALUES);
    assert_int_equal(parse(&m), STATUS_OK);
    const struct run *r = &m.run;
    assert_int_equal(run_check(r, &err), STATUS_OK);
    assert_int_equal(r->lines.line[0], 7);
    assert_int_equal(r->lines.caller[1], 0);
    assert_string_equal(run_name(r, r->lines.text[1]), "x = 1");
    assert_int_equal(r->host_samples.count[0], 9);
    assert_float_equal(record_fact(r, 0, RECORD_FACT_SAMPLED_NS), 400, 0);
    assert_string_equal(run_name(r, r->lines.file[0]), "train.py");
    assert_int_equal(r->tensors.source[0], VALUE_SOURCE_CONSTANT);
    assert_int_equal(r->tensors.kept[1], 1);
    assert_string_equal(run_name(r, r->watched_ops.name[1]), "aten::add.Tensor");
    assert_int_equal(r->watched_ops.traits[0], OP_TRAIT_FACTORY);
    assert_int_equal(r->watched_ops.forward[1], 0);
    assert_int_equal(r->op_tensors.role[1], TENSOR_ROLE_READ);
    assert_int_equal(r->op_tensors.tensor[2], 1);
    assert_int_equal(r->op_tensors.hash[2], 12);
    assert_int_equal(r->op_tensors.zeros[2], 1000);
    assert_string_equal(run_name(r, r->op_tensors.strides[0]), "[3, 1]");
    assert_string_equal(run_name(r, r->notes.text[0]), "data flow: said");
    done(&m);
}

/* Every length but the right one. */
static void what_is_cut_is_refused(void **state)
{
    (void)state;
    struct made m;
    make(&m, HEAD, VALUES, N_VALUES);
    size_t whole = m.bytes.len;
    for (size_t len = 0; len < whole; len++) {
        m.bytes.len = len;
        assert_int_equal(parse(&m), STATUS_INPUT);
        assert_int_equal(m.run.watched_ops.table.n, 0);
    }
    m.bytes.len = whole;
    assert_int_equal(parse(&m), STATUS_OK);
    done(&m);
}

/* Each value in turn is far out: taken (hashes, offsets, numbers) or refused, but a run
 * that holds is what comes of it. */
static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    static const int64_t far[] = {-2, INT64_MAX, INT64_MIN};
    size_t refused = 0;
    for (size_t i = 0; i < N_VALUES; i++)
        for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
            int64_t values[N_VALUES];
            struct made m;
            struct err err = ERR_INIT;
            memcpy(values, VALUES, sizeof values);
            values[i] = far[k];
            make(&m, HEAD, values, N_VALUES);
            enum status st = parse(&m);
            refused += st != STATUS_OK;
            assert_int_equal(m.run.op_tensors.table.n, st ? 0 : 3);
            if (run_check(&m.run, &err))
                fail_msg("value %zu: %s", i, err.text);
            done(&m);
        }
    assert_true(refused > 2 * N_VALUES);
}

static void other_heads_are_refused(void **state)
{
    (void)state;
    static const char *const heads[] = {"",
                                        "\n",
                                        "{}\n",
                                        "[1]\n",
                                        "{\"gait_flow\":2}\n",
                                        "{\"gait_flow\":3}\n",
                                        "{\"gait_flow\":3,\"rows\":[1,2,2]}\n",
                                        "{\"gait_flow\":3,\"rows\":[1,2,2,3,-1]}\n",
                                        "{\"gait_flow\":3,\"rows\":[1,2,2,3,4]}\n"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct made m;
        make(&m, heads[i], VALUES, N_VALUES);
        assert_int_equal(parse(&m), STATUS_INPUT);
        done(&m);
    }
}

static void read_seed(struct run *run, const char *path)
{
    struct err err = ERR_INIT;
    run_init(run);
    ranks_add(&run->ranks, (struct rank){0});
    if (flow_file_add(run, path, &err))
        fail_msg("%s: %s", path, err.text);
    assert_int_equal(run_check(run, &err), STATUS_OK);
}

/* Else the fuzzer would begin with what is refused at once. */
static void the_seeds_of_the_fuzzer_are_read(void **state)
{
    struct run run;
    (void)state;
    read_seed(&run, TESTS_DIR "/fuzz/corpus/flow/empty.bin");
    assert_int_equal(run.lines.table.n, 0);
    run_release(&run);
    read_seed(&run, TESTS_DIR "/fuzz/corpus/flow/two_ops.bin");
    assert_int_equal(run.watched_ops.table.n, 2);
    run_release(&run);
}

static void samples_stand_without_a_data_flow(void **state)
{
    struct run run;
    (void)state;
    read_seed(&run, TESTS_DIR "/fuzz/corpus/flow/samples_only.bin");
    assert_int_equal(run.watched_ops.table.n, 0);
    assert_int_equal(run.lines.table.n, 2);
    assert_int_equal(run.host_samples.table.n, 2);
    assert_int_equal(run.host_samples.line[1], -1);
    assert_int_equal(run.host_samples.count[0], 9);
    assert_float_equal(record_fact(&run, 0, RECORD_FACT_SAMPLED_STEPS), 4, 0);
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_rows),
        cmocka_unit_test(the_seeds_of_the_fuzzer_are_read),
        cmocka_unit_test(samples_stand_without_a_data_flow),
        cmocka_unit_test(what_is_cut_is_refused),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(other_heads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
