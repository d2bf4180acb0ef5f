/* The cached pass against the model's own forward pass, and texts written with it. */
#include "generate/writing.h"
#include "unit/model/model_fixture.h"

static const struct engine_options ENGINE = {"own", "f32", "tiled"};

struct writer {
    struct engine engine;
    struct memory_plan plan;
    struct generator g;
};

static void writer_open(struct writer *w, const struct model_shape *shape, int64_t B,
                        struct param_store *weights)
{
    struct err err = ERR_INIT;
    memset(w, 0, sizeof *w);
    assert_int_equal(engine_init(&w->engine, &ENGINE, &err), STATUS_OK);
    assert_int_equal(generator_init(&w->g, &w->engine, shape, B, &err), STATUS_OK);
    memory_plan_init(&w->plan);
    generator_plan(&w->g, &w->plan);
    assert_int_equal(memory_plan_allocate(&w->plan, &err), STATUS_OK);
    generator_bind(&w->g);
    memcpy(w->g.store.full, weights->full,
           (size_t)w->g.params.table.total * sizeof(real));
}

static void writer_close(struct writer *w)
{
    generator_release(&w->g);
    memory_plan_release(&w->plan);
}

/* Longer than a pass of GENERATOR_ROWS, and a rest that fills none. */
enum { CONTEXT = GENERATOR_ROWS / 2 + 37, ROWS = 2 };

static double largest_difference(const real *a, const real *b, int64_t n)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

/* Feed n places at once, or one by one; compare each place's logits that come out. */
static void check_places(struct writer *w, const struct subject *s, int64_t at_once)
{
    int64_t V = s->model.shape.vocab, T = s->model.T;
    int32_t fed[CONTEXT * ROWS];
    for (int64_t t = 0; t < T; t += at_once) {
        int64_t n = T - t < at_once ? T - t : at_once;
        for (int64_t i = 0; i < n; i++)
            for (int64_t b = 0; b < ROWS; b++)
                fed[i * ROWS + b] = s->tokens[b * T + t + i];
        generator_feed(&w->g, fed, n, t);
        for (int64_t b = 0; b < ROWS; b++) {
            const real *want = (const real *)s->model.logits + (b * T + t + n - 1) * V;
            assert_true(largest_difference(w->g.logits + b * V, want, V) < 1e-5);
        }
    }
}

static void cached_passes_give_the_logits_of_the_whole_pass(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct model_shape shape = with_context(FAMILIES[f], CONTEXT);
        struct subject s;
        struct writer w;
        subject_open(&s, ENGINE, &shape, (struct model_options){.batch = ROWS});
        subject_forward(&s);
        writer_open(&w, &shape, ROWS, &s.model.store);
        check_places(&w, &s, 1);
        check_places(&w, &s, CONTEXT);
        check_places(&w, &s, 35);
        writer_close(&w);
        subject_close(&s);
    }
}

/* Greedy texts of one prompt alone, and of both at once. */
static void write_texts(struct param_store *weights, const struct model_shape *shape,
                        const int32_t *const *prompt, const int64_t *len, int64_t B,
                        int64_t tokens, int32_t out[][200])
{
    struct writer w;
    struct err err = ERR_INIT;
    writer_open(&w, shape, B, weights);
    struct writing writing = {
        .g = &w.g, .pick = PICK_OPTIONS_INIT, .max_new = tokens, .stop_token = -1};
    writing.pick.temperature = 0;
    assert_int_equal(writing_open(&writing, prompt, len, &err), STATUS_OK);
    assert_int_equal(writing_run(&writing, &err), STATUS_OK);
    for (int64_t b = 0; b < B; b++) {
        assert_int_equal(writing.text[b].n, len[b] + tokens);
        memcpy(out[b], writing.text[b].token,
               (size_t)writing.text[b].n * sizeof(int32_t));
    }
    writing_close(&writing);
    writer_close(&w);
}

/* Also past the end of the context, where the later half is read again. */
static void a_text_does_not_depend_on_the_texts_beside_it(void **state)
{
    (void)state;
    static const int32_t first[] = {1, 2, 3, 4, 5, 6, 0, 1}, second[] = {6};
    const int32_t *const prompt[] = {first, second};
    const int64_t len[] = {8, 1};
    int32_t both[2][200], alone[1][200];
    for (size_t f = 0; f < COUNT(FAMILIES); f++) {
        struct model_shape shape = with_context(FAMILIES[f], CONTEXT);
        struct subject s;
        subject_open(&s, ENGINE, &shape, (struct model_options){.batch = 1});
        /* As long as the context is not full; then places differ with the length. */
        write_texts(&s.model.store, &shape, prompt, len, 2, CONTEXT - 8, both);
        for (int b = 0; b < 2; b++) {
            write_texts(&s.model.store, &shape, &prompt[b], &len[b], 1, CONTEXT - 8,
                        alone);
            assert_memory_equal(both[b], alone[0],
                                (size_t)(len[b] + CONTEXT - 8) * sizeof(int32_t));
        }
        write_texts(&s.model.store, &shape, prompt, len, 2, 150, both);
        subject_close(&s);
    }
}

static void a_stop_token_ends_a_text_and_is_not_part_of_it(void **state)
{
    (void)state;
    static const int32_t prompt_tokens[] = {1, 2, 3};
    const int32_t *const prompt[] = {prompt_tokens};
    const int64_t len[] = {3};
    int32_t out[1][200];
    struct subject s;
    struct writer w;
    struct err err = ERR_INIT;
    struct model_shape shape = with_context(&GPT2_SMALL, CONTEXT);
    subject_open(&s, ENGINE, &shape, (struct model_options){.batch = 1});
    write_texts(&s.model.store, &shape, prompt, len, 1, 1, out);
    writer_open(&w, &shape, 1, &s.model.store);
    struct writing writing = {
        .g = &w.g, .pick = PICK_OPTIONS_INIT, .max_new = 20, .stop_token = out[0][3]};
    writing.pick.temperature = 0;
    assert_int_equal(writing_open(&writing, prompt, len, &err), STATUS_OK);
    assert_int_equal(writing_run(&writing, &err), STATUS_OK);
    assert_int_equal(writing.text[0].n, 3);
    writing_close(&writing);
    writer_close(&w);
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached_passes_give_the_logits_of_the_whole_pass),
        cmocka_unit_test(a_text_does_not_depend_on_the_texts_beside_it),
        cmocka_unit_test(a_stop_token_ends_a_text_and_is_not_part_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
