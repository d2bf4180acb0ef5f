/* The meaning of an index, byte by byte: the reference of the vectorised kernels, and
 * what runs where they cannot. */
#include "trace/text_index_kernels.h"

static bool is_mark(char ch)
{
    return ch == '{' || ch == '}' || ch == '[' || ch == ']' || ch == ':' || ch == ',';
}

size_t index_plain(struct index_state *state, const char *text, size_t from,
                   size_t stretches, uint32_t *at, uint8_t *odd)
{
    size_t n = 0;
    bool in_string = state->in_string, escaped = state->escaped;
    for (size_t k = 0; k < stretches; k++) {
        odd[k] = 0;
        for (size_t i = from + 64 * k; i < from + 64 * (k + 1); i++) {
            char ch = text[i];
            bool quote = ch == '"' && !escaped;
            if (quote && !in_string)
                at[n++] = (uint32_t)i;
            else if (!in_string && is_mark(ch))
                at[n++] = (uint32_t)i;
            in_string ^= quote;
            odd[k] |= in_string && (ch == '\\' || (uint8_t)ch < 0x20);
            escaped = ch == '\\' && !escaped;
        }
    }
    state->in_string = in_string ? ~UINT64_C(0) : 0;
    state->escaped = escaped;
    return n;
}
