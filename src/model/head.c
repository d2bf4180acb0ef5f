#include "model/head.h"

/* Numbers of logits that exist at once: 128 MiB in f32. In smaller pieces the weights'
 * gradient, as large as the head, would be added to more often. */
static const int64_t LOGITS_MAX = 1 << 25;

/* Equal pieces, as few as keep the logits below the limit; where the rows cannot be cut so,
 * up to four times as many, else fewer, and the limit is not kept. */
static int64_t head_pieces_of(int64_t rows, int64_t vocab, int64_t most)
{
    int64_t least = vocab > most ? rows : (rows * vocab + most - 1) / most;
    for (int64_t n = least; n <= 4 * least && n <= rows; n++)
        if (rows % n == 0)
            return n;
    while (rows % least)
        least--;
    return least;
}

void head_cut(struct model *m)
{
    int64_t most = m->options.logits_max ? m->options.logits_max : LOGITS_MAX;
    m->head_pieces = head_pieces_of(m->M, m->shape.vocab, most);
    m->head_rows = m->M / m->head_pieces;
}

/* The piece's rows of a tensor whose rows are `row` long. */
static act *rows_of(const struct model *m, act *a, int64_t piece, int64_t row)
{
    return (act *)((char *)a +
                   (size_t)(piece * m->head_rows * row) * m->engine->act_bytes);
}

void head_forward(struct model *m, const struct model_batch *batch, int64_t piece)
{
    const struct engine *e = m->engine;
    const int64_t first = piece * m->head_rows;
    op_linear_forward(e, &m->linear[LINEAR_HEAD], m->logits,
                      rows_of(m, m->narrow, piece, m->shape.width), head_weight(m).value,
                      NULL);
    op_cross_entropy_forward(e, m->loss + first, m->softmax, m->logits,
                             batch->targets + first, m->head_rows, m->shape.vocab);
}

/* The head's gradient is the first that an embedding shared with it gets. */
void head_backward(struct model *m, const struct model_batch *batch, int64_t piece,
                   real scale, bool accumulate)
{
    const struct engine *e = m->engine;
    const int64_t *outer = m->params.outer;
    act *narrow = rows_of(m, m->narrow, piece, m->shape.width);
    real *d_head =
        params_grad(&m->params, m->grad, outer[m->shape.tied ? ROLE_TOKENS : ROLE_HEAD]);
    op_cross_entropy_backward(e, m->logits, m->logits, m->softmax,
                              batch->targets + piece * m->head_rows, scale, m->head_rows,
                              m->shape.vocab);
    op_linear_backward_weight(e, &m->linear[LINEAR_HEAD], d_head, NULL, m->logits, narrow,
                              accumulate);
    op_linear_backward_input(e, &m->linear[LINEAR_HEAD], narrow, m->logits,
                             head_weight(m).value);
}
