/* Every kernel of the index against the plain one, and the plain one against the marks
 * that a person finds. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "trace/text_index.h"

#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 37, BYTES = 64 * STRETCHES };

struct indexed {
    struct index_state state;
    size_t n;
    uint32_t at[BYTES + 64];
    uint8_t odd[STRETCHES];
};

static void run_kernel(index_kernel *kernel, struct indexed *r, const char *text,
                       size_t from)
{
    r->n = kernel(&r->state, text, from, STRETCHES, r->at, r->odd);
}

/* Text that is mostly what JSON is made of. */
static void random_text(char *text, size_t n, unsigned seed)
{
    static const char common[] = "\"\"\"\\\\{}[]:,,abc 01.\n\x01\x7f\xc3\xff";
    srand(seed);
    for (size_t i = 0; i < n; i++) {
        int r = rand();
        text[i] = r % 8 ? common[(r >> 8) % (int)(sizeof common - 1)] : (char)(r >> 16);
    }
}

static void kernels_find_what_the_plain_one_finds(void **state)
{
    (void)state;
    char *text = mem_alloc(BYTES + 128);
    struct indexed *want = mem_alloc(sizeof *want), *got = mem_alloc(sizeof *got);
    for (unsigned seed = 0; seed < 300; seed++) {
        random_text(text, BYTES + 128, seed);
        if (seed % 5 == 0)
            memset(text + seed, '\\', 130); /* over several stretches */
        size_t from = seed % 61;
        for (int k = 0; k < INDEX_KERNELS; k++) {
            if (!text_index_kernel(k))
                continue;
            want->state = got->state =
                (struct index_state){seed % 2 ? ~UINT64_C(0) : 0, seed % 3 == 0};
            run_kernel(text_index_kernel(INDEX_KERNELS - 1), want, text, from);
            run_kernel(text_index_kernel(k), got, text, from);
            if (want->n != got->n ||
                memcmp(want->at, got->at, want->n * sizeof *want->at))
                fail_msg("%s finds other marks, seed %u", text_index_kernel_name(k),
                         seed);
            assert_memory_equal(want->odd, got->odd, STRETCHES);
            assert_int_equal(want->state.in_string, got->state.in_string);
            assert_int_equal(want->state.escaped, got->state.escaped);
        }
    }
    mem_free(text);
    mem_free(want);
    mem_free(got);
}

static void marks_are_where_a_person_sees_them(void **state)
{
    (void)state;
    char text[128 + TEXT_PADDING];
    memset(text, ' ', sizeof text);
    const char *json = "{\"a,b\": [1, \"x\\\"}\"], \"c\\\\\":{}}";
    const char *marks = "{\":[,\"],\":{}}";
    memcpy(text, json, strlen(json));
    struct text_index x;
    text_index_init(&x);
    text_index_start(&x, text, 0, strlen(json));
    assert_true(text_index_more(&x));
    assert_int_equal(x.n, strlen(marks));
    for (size_t i = 0; i < x.n; i++)
        assert_int_equal(text[x.at[i]], marks[i]);
    for (int i = 0; i < MARKS_BEHIND; i++)
        assert_int_equal(x.at[x.n + (uint32_t)i], strlen(json));
    assert_true(text_index_is_odd(&x, 12, 15));
    assert_false(text_index_more(&x));
    text_index_release(&x);
}

static void strips_make_no_difference(void **state)
{
    (void)state;
    size_t len = 5 * INDEX_STRIP_BYTES + 777, n = 0;
    char *text = mem_alloc(len + TEXT_PADDING);
    random_text(text, len, 99);
    memset(text + len, ' ', TEXT_PADDING);
    struct text_index x;
    text_index_init(&x);
    text_index_start(&x, text, 0, len);
    struct index_state whole = {0};
    size_t stretches = (len + 63) / 64;
    uint32_t *at = mem_alloc((stretches * 64 + 64) * sizeof *at);
    uint8_t *odd = mem_alloc(stretches);
    size_t want =
        text_index_kernel(INDEX_KERNELS - 1)(&whole, text, 0, stretches, at, odd);
    while (text_index_more(&x)) {
        uint32_t leave = x.n > 5 ? 5 : 0; /* as a parser does that wants more */
        for (; x.next < x.n - leave; x.next++)
            assert_int_equal(x.at[x.next], at[n++]);
    }
    for (; x.next < x.n; x.next++)
        assert_int_equal(x.at[x.next], at[n++]);
    assert_int_equal(n, want);
    text_index_release(&x);
    mem_free(at);
    mem_free(odd);
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_find_what_the_plain_one_finds),
        cmocka_unit_test(marks_are_where_a_person_sees_them),
        cmocka_unit_test(strips_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
