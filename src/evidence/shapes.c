#include "evidence/shapes.h"

#include <string.h>

static bool take(const char **p, char ch)
{
    if (**p != ch)
        return false;
    ++*p;
    return true;
}

/* Digits; a number past 2^53 is of no use and ends the reading. */
static bool read_number(const char **p, int64_t *out)
{
    const char *s = *p;
    int64_t v = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (v > (INT64_C(1) << 53) / 10)
            return false;
        v = v * 10 + (*s - '0');
    }
    if (s == *p)
        return false;
    *p = s;
    *out = v;
    return true;
}

/* Behind '[': numbers to ']'. */
static bool read_dims(const char **p, struct shape *s)
{
    *s = (struct shape){.numbers = 1};
    if (take(p, ']'))
        return true;
    do {
        int64_t dim;
        if (!read_number(p, &dim) || s->rank == SHAPES_DIMS_MAX)
            return false;
        s->dim[s->rank++] = dim;
        s->numbers *= (double)dim;
    } while (take(p, ','));
    return take(p, ']');
}

/* One input, behind its '[': a tensor, or a list of them. */
static bool read_input(const char **p, struct shape *in)
{
    if (**p != '[')
        return read_dims(p, in);
    *in = (struct shape){0};
    do {
        struct shape tensor;
        if (!take(p, '[') || !read_dims(p, &tensor))
            return false;
        in->numbers += tensor.numbers;
        in->tensors++;
    } while (take(p, ','));
    return take(p, ']');
}

bool shapes_read(struct shapes *s, const char *text)
{
    const char *p = text;
    s->n = 0;
    if (!take(&p, '['))
        return false;
    do {
        if (s->n == SHAPES_INPUTS_MAX)
            return true;
        if (!take(&p, '[') || !read_input(&p, &s->in[s->n])) {
            s->n = 0;
            return false;
        }
        s->n++;
    } while (take(&p, ','));
    s->n = *p == ']' ? s->n : 0;
    return s->n > 0;
}

bool shapes_of(struct shapes *s, const struct run *run, int64_t span)
{
    s->n = 0;
    name_id text = run->spans.shapes[span];
    return text && shapes_read(s, run_name(run, text));
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && a->tensors == b->tensors &&
           !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

static int count_dim(const struct shape *s, int64_t dim)
{
    int n = 0;
    for (int i = 0; i < s->rank; i++)
        n += s->dim[i] == dim;
    return n;
}

bool shape_permuted(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank || shape_equal(a, b) || a->tensors || b->tensors)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (count_dim(a, a->dim[i]) != count_dim(b, a->dim[i]))
            return false;
    return true;
}

double shapes_largest(const struct run *run, int64_t span)
{
    struct shapes s;
    double most = 0;
    if (!shapes_of(&s, run, span))
        return 0;
    for (int i = 0; i < s.n; i++)
        if (s.in[i].rank || s.in[i].tensors)
            most = s.in[i].numbers > most ? s.in[i].numbers : most;
    return most;
}

bool shapes_share(const char *text, const struct shape *of, double *of_numbers,
                  double *all_numbers)
{
    const char *p = text;
    *of_numbers = *all_numbers = 0;
    if (strncmp(p, "[[[", 3)) /* the first input is no list */
        return false;
    p += 2;
    do {
        struct shape tensor;
        if (!take(&p, '[') || !read_dims(&p, &tensor))
            return false;
        *all_numbers += tensor.numbers;
        if (shape_equal(&tensor, of))
            *of_numbers += tensor.numbers;
    } while (take(&p, ','));
    return take(&p, ']') && *all_numbers > 0;
}
