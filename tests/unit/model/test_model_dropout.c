/* Dropout in a whole model: off unless asked for, a pure function of seed and position.
 */
#include "compare_fixture.h"

static const struct engine_options REFERENCE = {"reference", "f32", "tiled"};

static void losses(real *out, const struct model_shape *shape, double dropout,
                   uint64_t seed, int64_t position)
{
    struct subject s;
    subject_open(
        &s, REFERENCE, shape,
        (struct model_options){.batch = 1, .dropout = dropout, .dropout_seed = seed});
    s.position = position;
    subject_forward(&s);
    memcpy(out, s.model.loss, 5 * sizeof *out);
    subject_close(&s);
}

static void losses_depend_on_seed_and_position_alone(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        real a[5], b[5];
        losses(a, FAMILIES[f], 0.2, 5, 10);
        losses(b, FAMILIES[f], 0.2, 5, 10);
        assert_memory_equal(a, b, sizeof a);
        losses(b, FAMILIES[f], 0.2, 6, 10);
        assert_memory_not_equal(a, b, sizeof a);
        losses(b, FAMILIES[f], 0.2, 5, 11);
        assert_memory_not_equal(a, b, sizeof a);
    }
}

static void validation_drops_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        real with[5], without[5];
        losses(with, FAMILIES[f], 0.2, 5, -1);
        losses(without, FAMILIES[f], 0, 0, 3);
        assert_memory_equal(with, without, sizeof with);
    }
}

/* Every place that drops has a number of its own. */
static void no_two_places_share_a_mask(void **state)
{
    (void)state;
    struct subject s;
    subject_open(&s, REFERENCE, &GPT2_SMALL,
                 (struct model_options){.batch = 1, .dropout = 0.1, .dropout_seed = 1});
    uint64_t seen = UINT64_C(1) << embedding_dropout(&s.model, 0).site;
    for (int64_t layer = 0; layer < 2; layer++) {
        for (int site = 0; site < SITES_A_BLOCK; site++) {
            struct dropout d = model_dropout(&s.model, 4, layer, (enum dropout_site)site);
            assert_true(d.position == 4 && d.seed == 1 && d.probability == 0.1);
            assert_false(seen >> d.site & 1);
            seen |= UINT64_C(1) << d.site;
        }
    }
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_depend_on_seed_and_position_alone),
        cmocka_unit_test(validation_drops_nothing),
        cmocka_unit_test(no_two_places_share_a_mask),
    };
    return cmocka_run_group_tests(tests, one_thread, NULL);
}
