/* Which of the words that rules ask for stand in a file. */
#ifdef GAIT_TREE_SITTER
#include "source/source_patterns.h"

#include <ctype.h>
#include <string.h>

static uint32_t word_hash(struct slice word)
{
    return slice_hash(word, 0) % WORD_HASH_SIZE;
}

int32_t source_word_find(const struct source_query *q, struct slice word)
{
    int32_t i = q->word_of_hash[word_hash(word)];
    while (i >= 0 && !slice_equal(q->words[i], word))
        i = q->next_word[i];
    return i;
}

/* A bit for each letter: what has no letter of a text cannot hold the text. */
static uint32_t letters_of(struct slice lower)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < lower.len; i++)
        letters |= 1u << (lower.s[i] & 31);
    return letters;
}

static void lower_case(char *to, struct slice from)
{
    for (size_t i = 0; i < from.len; i++)
        to[i] = (char)tolower((unsigned char)from.s[i]);
}

/* "*text*" is part of any name that holds the text, in whatever case. */
static void add_part(struct source_query *q, int32_t word)
{
    struct slice text = q->words[word];
    if (text.len < 3 || *text.s != '*')
        return;
    text = (struct slice){text.s + 1, text.len - 2};
    char *lower = arena_alloc(q->memory, text.len);
    lower_case(lower, text);
    q->part_text[q->n_parts] = (struct slice){lower, text.len};
    q->part_letters[q->n_parts] = letters_of(q->part_text[q->n_parts]);
    q->parts[q->n_parts++] = word;
}

void source_word_add(struct source_query *q, struct slice word)
{
    uint32_t h = word_hash(word);
    if (source_word_find(q, word) >= 0)
        return;
    if (q->n_words == SOURCE_WORDS_MAX)
        BUG("rules ask for more than %d words", SOURCE_WORDS_MAX);
    q->words[q->n_words] = word;
    q->next_word[q->n_words] = q->word_of_hash[h];
    q->word_of_hash[h] = q->n_words;
    add_part(q, q->n_words++);
}

static void set_word(int32_t i, uint64_t words[SOURCE_WORD_SETS])
{
    if (i >= 0)
        words[i / 64] |= UINT64_C(1) << (i % 64);
}

void source_words_note(const struct source_query *q, struct slice name,
                       uint64_t words[SOURCE_WORD_SETS])
{
    enum { LOOKED_AT_MAX = 100 };
    char lower[LOOKED_AT_MAX];
    if (name.len > LOOKED_AT_MAX)
        return;
    set_word(source_word_find(q, name), words);
    lower_case(lower, name);
    uint32_t letters = letters_of((struct slice){lower, name.len});
    for (int32_t i = 0; i < q->n_parts; i++)
        if (!(q->part_letters[i] & ~letters) &&
            memmem(lower, name.len, q->part_text[i].s, q->part_text[i].len))
            set_word(q->parts[i], words);
}

void source_fact_note(const struct source_query *q, const char *fact,
                      uint64_t words[SOURCE_WORD_SETS])
{
    set_word(source_word_find(q, (struct slice){fact, strlen(fact)}), words);
}
#endif
