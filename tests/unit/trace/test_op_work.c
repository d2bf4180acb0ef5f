/* Every expected value is worked out by hand beside it. */
#include "cmocka_setup.h"

#include "run/op_family.h"
#include "trace/op_work.h"

#include <string.h>

static struct json_text text(const char *s)
{
    return (struct json_text){.s = s, .len = s ? strlen(s) : 0};
}

static struct op_work work(const char *name, const char *dims, const char *types,
                           const char *values)
{
    struct json_text d = text(dims), t = text(types), v = text(values);
    int rule = op_work_rule(name, strlen(name));
    return op_work_count(rule, &d, &t, &v);
}

#define assert_work(w, flops, moved)                                                     \
    do {                                                                                 \
        struct op_work w_ = (w);                                                         \
        assert_int_equal(w_.flop, flops);                                                \
        assert_int_equal(w_.bytes, moved);                                               \
    } while (0)

static void a_product_is_two_operations_a_multiply_add(void **state)
{
    (void)state;
    assert_work(
        work("aten::mm", "[[3, 4], [4, 5]]", "[\"float\", \"float\"]", "[\"\", \"\"]"),
        2 * 3 * 4 * 5, 4 * (12 + 20 + 15));
    /* the bias is read, and its additions are not counted */
    assert_work(work("aten::addmm", "[[5], [3, 4], [4, 5], [], []]",
                     "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\","
                     "\"Scalar\"]",
                     NULL),
                120, 2 * (5 + 12 + 20 + 15));
    assert_work(
        work("aten::bmm", "[[7,3,4],[7,4,5]]", "[\"c10::Half\",\"c10::Half\"]", NULL),
        7 * 120, 7 * 2 * (12 + 20 + 15));
    assert_work(
        work("aten::addmv_", "[[3],[3,4],[4]]", "[\"float\",\"float\",\"float\"]", NULL),
        24, 4 * (3 + 12 + 4 + 3));
}

static void an_out_argument_changes_nothing(void **state)
{
    (void)state;
    assert_work(work("aten::mm", "[[3, 4], [4, 5], [3, 5]]",
                     "[\"float\", \"float\", \"float\"]", NULL),
                120, 4 * (12 + 20 + 15));
}

static void types_of_the_factors_are_told(void **state)
{
    (void)state;
    const char *dims = "[[3, 4], [4, 5]]";
    assert_int_equal(
        work("aten::mm", dims, "[\"c10::BFloat16\",\"c10::BFloat16\"]", NULL).type,
        OP_TYPE_BF16);
    struct op_work f8 = work("aten::_scaled_mm", dims,
                             "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\"]", NULL);
    assert_int_equal(f8.type, OP_TYPE_F8);
    assert_work(f8, 120, 0); /* the type of what is written is not known */
    assert_work(work("aten::mm", dims, NULL, NULL), 120, 0);
    assert_work(work("aten::mm", dims, "[]", NULL), 120, 0);
    assert_work(
        work("aten::mm", dims, "[\"c10::complex<float>\",\"c10::complex<float>\"]", NULL),
        0, 8 * 47);
}

static void grouped_rows_are_multiplied_once(void **state)
{
    (void)state;
    assert_int_equal(
        work("aten::_grouped_mm", "[[100, 8],[4, 8, 16],[4]]", NULL, NULL).flop,
        2 * 100 * 8 * 16);
    assert_int_equal(
        work("mkldnn::_linear_pointwise", "[[10, 3],[7, 3]]", NULL, NULL).flop,
        2 * 10 * 3 * 7);
}

static void containers_are_not_counted(void **state)
{
    (void)state;
    static const char *const containers[] = {
        "aten::linear",
        "aten::matmul",
        "aten::einsum",
        "aten::conv2d",
        "aten::convolution",
        "aten::_convolution",
        "aten::scaled_dot_product_attention",
        "aten::_scaled_dot_product_flash_attention",
        "aten::_scaled_dot_product_attention_math",
        "aten::layer_norm",
        "aten::softmax",
        "aten::embedding",
        "aten::to",
        "aten::clone",
        "aten::zero_",
        "aten::relu",
        "",
    };
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        assert_int_equal(op_work_rule(containers[i], strlen(containers[i])), 0);
    assert_work(work("aten::linear", "[[3,4],[5,4]]", NULL, NULL), 0, 0);
}

static void every_operator_has_the_family_of_its_rule(void **state)
{
    (void)state;
    assert_int_equal(op_family_of("aten::addmm"), OP_FAMILY_MATMUL);
    assert_int_equal(op_family_of("aten::linear"), OP_FAMILY_NONE);
    assert_true(op_work_is_product(op_work_rule("aten::mm", 8)));
    assert_false(op_work_is_product(op_work_rule("aten::add", 9)));
    assert_false(op_work_is_product(0));
}

#define BF16_3 "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]"
#define FLASH "aten::_flash_attention_forward"

static void attention_is_two_products(void **state)
{
    (void)state;
    /* B 2, T 8 and 16, H 4, D 32: 4 B H Tq Tk D */
    const char *dims = "[[2,8,4,32],[2,16,4,32],[2,16,4,32],[],[]]";
    assert_work(work(FLASH, dims, BF16_3, "[\"\",\"\",\"\"]"), 4 * 2 * 4 * 8 * 16 * 32,
                2 * (2 * 8 * 4 * 32 * 2 + 2 * 2 * 16 * 4 * 32));
    /* the same with heads first, and fewer heads of key and value */
    assert_int_equal(work("aten::_scaled_dot_product_flash_attention_for_cpu",
                          "[[2,4,8,32],[2,2,16,32],[2,2,16,32]]", BF16_3,
                          "[\"\",\"\",\"\"]")
                         .flop,
                     4 * 2 * 4 * 8 * 16 * 32);
}

static void causal_attention_is_half_of_it(void **state)
{
    (void)state;
    const char *dims = "[[2,16,4,32],[2,16,4,32],[2,16,4,32]]";
    int64_t all = INT64_C(4) * 2 * 4 * 16 * 16 * 32;
    const char *causal = "[\"\",\"\",\"\",\"\",\"\",\"16\",\"16\",\"0.\",\"True\"]";
    const char *plain = "[\"\",\"\",\"\",\"\",\"\",\"16\",\"16\",\"0.\",\"False\"]";
    assert_int_equal(work(FLASH, dims, BF16_3, causal).flop, all / 2);
    assert_int_equal(work(FLASH, dims, BF16_3, plain).flop, all);
    assert_int_equal(work(FLASH, dims, BF16_3, NULL).flop, all);
    /* one query against many keys sees them all */
    assert_int_equal(
        work(FLASH, "[[2,1,4,32],[2,16,4,32],[2,16,4,32]]", BF16_3, causal).flop,
        all / 16);
}

static void backward_attention_is_five_products(void **state)
{
    (void)state;
    assert_int_equal(work("aten::_flash_attention_backward",
                          "[[2,16,4,32],[2,16,4,32],[2,16,4,32],[2,16,4,32],[2,16,4,32]]",
                          NULL, NULL)
                         .flop,
                     10 * 2 * 4 * 16 * 16 * 32);
}

static void attention_within_a_window_or_of_packed_rows_is_not_known(void **state)
{
    (void)state;
    const char *dims = "[[2,16,4,32],[2,16,4,32],[2,16,4,32]]";
    const char *window = "[\"\",\"\",\"\",\"0.\",\"0.1\",\"True\",\"4\",\"0\"]";
    const char *none = "[\"\",\"\",\"\",\"0.\",\"0.1\",\"True\",\"-1\",\"-1\"]";
    assert_work(work("flash_attn::_flash_attn_forward", dims, BF16_3, window), 0, 0);
    assert_int_equal(work("flash_attn::_flash_attn_forward", dims, BF16_3, none).flop,
                     2 * 2 * 4 * 16 * 16 * 32);
    assert_work(work(FLASH, "[[32,4,32],[32,4,32],[32,4,32]]", BF16_3, NULL), 0, 0);
}

static void a_convolution_counts_its_places(void **state)
{
    (void)state;
    /* 8 images of 3 x 32 x 32, 16 kernels of 3 x 5 x 5, stride 2, padding 1:
     * (32 + 2 - 5) / 2 + 1 = 15 places a side */
    assert_work(work("aten::cudnn_convolution", "[[8,3,32,32],[16,3,5,5]]",
                     "[\"float\",\"float\"]",
                     "[\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"1\"]"),
                INT64_C(2) * 8 * 16 * 15 * 15 * 3 * 5 * 5,
                4 * (8 * 3 * 32 * 32 + 16 * 3 * 25 + 8 * 16 * 15 * 15));
    /* in 4 groups each kernel sees a quarter of the channels; dilation 2: reach 5,
     * 6 places of 10 */
    assert_int_equal(work("aten::mkldnn_convolution", "[[1,8,10],[4,2,3],[4]]",
                          "[\"float\",\"float\",\"float\"]",
                          "[\"\",\"\",\"\",\"[0]\",\"[1]\",\"[2]\",\"4\"]")
                         .flop,
                     2 * 4 * 6 * 2 * 3);
    assert_work(work("aten::cudnn_convolution", "[[8,3,32,32],[16,3,5,5]]",
                     "[\"float\",\"float\"]", NULL),
                0, 0);
}

static void a_transposed_convolution_spreads_every_input(void **state)
{
    (void)state;
    /* 2 x 6 x 7 x 7 into kernels of (6, 5, 3, 3) */
    assert_int_equal(
        work("aten::cudnn_convolution_transpose", "[[2,6,7,7],[6,5,3,3]]", NULL, NULL)
            .flop,
        2 * 2 * 6 * 49 * 5 * 9);
}

static void a_convolutions_gradients_are_counted_where_wanted(void **state)
{
    (void)state;
    const char *dims = "[[8,16,15,15],[8,3,32,32],[16,3,5,5],[],[],[],[],[],[],[],[]]";
    int64_t once = INT64_C(2) * 8 * 16 * 225 * 3 * 25;
#define BACKWARD(mask)                                                                   \
    work("aten::convolution_backward", dims, NULL,                                       \
         "[\"\",\"\",\"\",\"[0]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, "     \
         "0]\",\"1\",\"" mask "\"]")                                                     \
        .flop
    assert_int_equal(BACKWARD("[True, True, False]"), 2 * once);
    assert_int_equal(BACKWARD("[False, True, True]"), once);
    assert_int_equal(BACKWARD(""), 0);
}

static void rows_are_passed_over(void **state)
{
    (void)state;
    assert_work(work("aten::native_layer_norm", "[[2,3,64],[],[64],[64],[]]",
                     "[\"float\",\"ScalarList\",\"float\",\"float\",\"Scalar\"]", NULL),
                8 * 384, 4 * (384 + 64 + 64 + 384));
    assert_work(work("aten::_softmax", "[[2,3,64],[],[]]",
                     "[\"c10::BFloat16\",\"Scalar\",\"Scalar\"]", NULL),
                5 * 384, 2 * 2 * 384);
    const char *five = "[\"float\",\"float\",\"float\",\"float\",\"float\",\"Scalar\"]";
    const char *bn = "[[2,4,8,8],[4],[4],[4],[4],[]]";
    assert_work(
        work("aten::cudnn_batch_norm", bn, five, "[\"\",\"\",\"\",\"\",\"\",\"True\"]"),
        8 * 512, 4 * (1024 + 16));
    assert_work(
        work("aten::cudnn_batch_norm", bn, five, "[\"\",\"\",\"\",\"\",\"\",\"False\"]"),
        4 * 512, 4 * (1024 + 16));
    assert_work(work("aten::sum", "[[6,7],[],[],[]]", "[\"float\",\"ScalarList\"]",
                     "[\"\",\"[-1]\",\"False\",\"\"]"),
                42, 4 * (42 + 6));
    assert_work(
        work("aten::sum", "[[6,7],[]]", "[\"float\",\"ScalarList\"]", "[\"\",\"[]\"]"),
        42, 4 * 43);
    /* it calls itself with an empty list */
    assert_work(work("aten::sum", "[[6,7],[]]", "[\"float\",\"\"]", "[\"\",\"\"]"), 0, 0);
    assert_work(work("aten::linalg_vector_norm", "[[6,7],[],[]]", "[\"float\"]",
                     "[\"\",\"2.\",\"[0]\"]"),
                84, 4 * (42 + 7));
}

static void elementwise_work_follows_the_larger_shape(void **state)
{
    (void)state;
    assert_work(work("aten::add", "[[8,1,16],[4,1],[]]",
                     "[\"float\",\"float\",\"Scalar\"]", NULL),
                8 * 4 * 16, 4 * (128 + 4 + 512));
    /* a number beside a tensor does not widen it */
    assert_work(work("aten::mul", "[[10],[]]", "[\"c10::BFloat16\",\"double\"]", NULL),
                10, 20 + 8 + 20);
    assert_work(work("aten::add", "[[10],[10]]", "[\"long int\",\"c10::Half\"]", NULL),
                10, 80 + 20 + 20);
    assert_work(work("aten::eq", "[[10],[]]", "[\"float\",\"Scalar\"]", NULL), 0, 50);
    assert_work(work("aten::gelu", "[[10],[]]", "[\"float\",\"\"]", NULL), 90, 80);
    assert_work(work("aten::add", "[[3],[4]]", "[\"float\",\"float\"]", NULL), 0, 0);
}

static void a_plain_number_is_left_to_the_inner_call(void **state)
{
    (void)state;
    assert_work(work("aten::mul", "[[10],[]]", "[\"float\",\"Scalar\"]", NULL), 0, 0);
    assert_work(work("aten::pow", "[[10],[]]", "[\"float\",\"Scalar\"]", NULL), 10, 80);
}

static void copies_and_lookups_move_bytes_only(void **state)
{
    (void)state;
    assert_work(work("aten::copy_", "[[4,5],[5],[]]",
                     "[\"c10::BFloat16\",\"float\",\"Scalar\"]", NULL),
                0, 40 + 20);
    assert_work(work("aten::fill_", "[[4,5],[]]", "[\"float\",\"Scalar\"]", NULL), 0, 80);
    assert_work(work("aten::index_select", "[[1000,64],[],[10]]",
                     "[\"float\",\"Scalar\",\"long int\"]", "[\"\",\"0\",\"\"]"),
                0, 2 * 4 * 640 + 80);
    assert_work(work("aten::embedding_dense_backward", "[[2,5,64],[2,5],[],[],[]]",
                     "[\"float\",\"long int\",\"Scalar\",\"Scalar\",\"Scalar\"]",
                     "[\"\",\"\",\"1000\",\"-1\",\"False\"]"),
                640, 4 * 640 + 80 + 4 * 64000);
}

static void lists_of_tensors_are_summed(void **state)
{
    (void)state;
    assert_work(work("aten::_foreach_add_",
                     "[[[128,128],[128],[]],[[128,128],[128],[]],[]]",
                     "[\"TensorList\",\"TensorList\",\"Scalar\"]", NULL),
                128 * 128 + 128 + 1, 0);
    assert_work(work("aten::_foreach_add_", "[[],[],[]]", NULL, NULL), 0, 0);
}

static void nonsense_is_not_known(void **state)
{
    (void)state;
    static const char *const dims[] = {
        "",
        "[",
        "[[",
        "[]",
        "null",
        "\"[[3,4],[4,5]]\"",
        "[[-3,4],[4,5]]",
        "[[3,4],[-4,5]]",
        "[[3.5,4],[4,5]]",
        "[[3,4][4,5]]",
        "[[3,4],[4,5]",
        "[[3 4],[4,5]]",
        "[[3,4],[5,4]]",
        "[[3,4]]",
        "[[3,4,],[4,5]]",
        "[[[[[[[[[[[[[[[[",
        "[[1,1,1,1,1,1,1,1,1,1],[1,1]]",
        "{\"a\":[3,4]}",
    };
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        assert_work(work("aten::mm", dims[i], "[\"float\",\"float\"]", NULL), 0, 0);
    assert_work(work("aten::mm", NULL, NULL, NULL), 0, 0);
    assert_work(work("aten::mm", "[[3,4],[4,5]]", "[[[", "[[["), 120, 0);
}

static void what_is_too_large_is_not_known(void **state)
{
    (void)state;
    struct op_work w = work(
        "aten::mm", "[[99999999999999999999999999,4],[4,99999999999999999999999999]]",
        "[\"float\",\"float\"]", NULL);
    assert_work(w, 0, 0);
    w = work("aten::bmm", "[[4000000000,4000000000,4],[4000000000,4,4000000000]]",
             "[\"float\",\"float\"]", NULL);
    assert_work(w, 0, 0);
    assert_work(work("aten::mm", "[[0,4],[4,5]]", "[\"float\",\"float\"]", NULL), 0, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_two_operations_a_multiply_add),
        cmocka_unit_test(an_out_argument_changes_nothing),
        cmocka_unit_test(types_of_the_factors_are_told),
        cmocka_unit_test(grouped_rows_are_multiplied_once),
        cmocka_unit_test(containers_are_not_counted),
        cmocka_unit_test(every_operator_has_the_family_of_its_rule),
        cmocka_unit_test(attention_is_two_products),
        cmocka_unit_test(causal_attention_is_half_of_it),
        cmocka_unit_test(backward_attention_is_five_products),
        cmocka_unit_test(attention_within_a_window_or_of_packed_rows_is_not_known),
        cmocka_unit_test(a_convolution_counts_its_places),
        cmocka_unit_test(a_transposed_convolution_spreads_every_input),
        cmocka_unit_test(a_convolutions_gradients_are_counted_where_wanted),
        cmocka_unit_test(rows_are_passed_over),
        cmocka_unit_test(elementwise_work_follows_the_larger_shape),
        cmocka_unit_test(a_plain_number_is_left_to_the_inner_call),
        cmocka_unit_test(copies_and_lookups_move_bytes_only),
        cmocka_unit_test(lists_of_tensors_are_summed),
        cmocka_unit_test(nonsense_is_not_known),
        cmocka_unit_test(what_is_too_large_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
