/* What hook and program share cannot change in silence. */
#include "cmocka_setup.h"

#include "record/contract.h"
#include "run/record_facts.h"

#include <string.h>

/* FNV-1a */
static uint64_t digest_of(const char *text)
{
    uint64_t h = 1469598103934665603u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* Whoever changes the contract raises RECORD_VERSION and adds a line here. */
static void a_change_of_the_contract_is_a_new_version(void **state)
{
    (void)state;
    static const struct {
        int version;
        uint64_t digest;
    } known[] = {{2, 0xb5ad13175b165036},
                 {3, 0x94d0c6406d28ee27},
                 {4, 0x4ae49c07bc4098e8},
                 {5, 0xd1e7e8d976a5014e},
                 {6, 0xa7615e0a77974d0b}};
    struct strbuf shape;
    strbuf_init(&shape);
    contract_print_shape(&shape);
    uint64_t digest = digest_of(shape.s);
    size_t n = sizeof known / sizeof *known;
    if (known[n - 1].version != RECORD_VERSION || known[n - 1].digest != digest)
        fail_msg("the contract has changed: raise RECORD_VERSION and add {%d, 0x%llx}",
                 RECORD_VERSION, (unsigned long long)digest);
    strbuf_release(&shape);
}

static void every_name_is_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < RECORD_FACT_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(record_fact_def[i].key, record_fact_def[k].key);
    /* a step's members and what is timed in it stand side by side */
    for (int k = 0; k < TIMING_KIND_COUNT; k++) {
        assert_string_not_equal(timing_kind_text[k],
                                record_key_text[RECORD_KEY_STEP_NUMBER]);
        assert_string_not_equal(timing_kind_text[k],
                                record_key_text[RECORD_KEY_STEP_BACKWARDS]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_the_contract_is_a_new_version),
        cmocka_unit_test(every_name_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
