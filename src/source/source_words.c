/* Which of the words that rules ask for stand in a file. */
#ifdef GAIT_TREE_SITTER
#include "source/source_patterns.h"

#include <string.h>
#include <strings.h>

static uint32_t word_hash(struct slice word)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < word.len; i++)
        h = (h ^ (unsigned char)word.s[i]) * 16777619u;
    return (h ^ h >> 15) % WORD_HASH_SIZE;
}

int32_t source_word_find(const struct source_query *q, struct slice word)
{
    int32_t i = q->word_of_hash[word_hash(word)];
    while (i >= 0 && !slice_equal(q->words[i], word))
        i = q->next_word[i];
    return i;
}

static bool is_part(struct slice word)
{
    return word.len >= 3 && *word.s == '*';
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
    if (is_part(word))
        q->parts[q->n_parts++] = q->n_words;
    q->n_words++;
}

/* Does the name hold "text" of "*text*"? */
static bool part_fits(struct slice name, struct slice word)
{
    size_t len = word.len - 2;
    for (size_t i = 0; i + len <= name.len; i++)
        if (!strncasecmp(name.s + i, word.s + 1, len))
            return true;
    return false;
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
    if (name.len > LOOKED_AT_MAX)
        return;
    set_word(source_word_find(q, name), words);
    for (int32_t i = 0; i < q->n_parts; i++)
        if (part_fits(name, q->words[q->parts[i]]))
            set_word(q->parts[i], words);
}

void source_fact_note(const struct source_query *q, const char *fact,
                      uint64_t words[SOURCE_WORD_SETS])
{
    set_word(source_word_find(q, (struct slice){fact, strlen(fact)}), words);
}
#endif
