#include "price/evidence_text.h"

#include <string.h>

static const char *name_of(const struct finding *x)
{
    return x->rule ? x->rule->name : "an answer";
}

static void add_text(struct finding *x, const char *text, size_t len)
{
    size_t used = strlen(x->evidence), room = sizeof x->evidence - 1 - used;
    len = len < room ? len : room;
    memcpy(x->evidence + used, text, len);
    x->evidence[used + len] = '\0';
}

static void keep_quantity(struct finding *x, const struct quantity *q)
{
    for (size_t i = 0; i < x->n_quantities; i++)
        if (!strcmp(x->quantity[i].name, q->name))
            BUG("%s says %s twice", name_of(x), q->name);
    if (x->n_quantities == FINDING_QUANTITIES_MAX)
        BUG("%s says more than %d numbers", name_of(x), FINDING_QUANTITIES_MAX);
    x->quantity[x->n_quantities++] = *q;
}

static void add_quantity(struct finding *x, const struct quantity *q)
{
    const char *text = q->words ? q->words : q->text.s;
    add_text(x, text, strlen(text));
    if (q->name)
        keep_quantity(x, q);
}

void evidence_add(struct finding *x, const struct quantity *quantity, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keep_quantity(x, &quantity[i]);
}

/* Rules speak of a step. Of a recording without steps the same figures are of all of it.
 */
static void add_sentence(struct finding *x, const char *text, size_t len)
{
    static const struct {
        const char *step, *recording;
    } said[] = {{"of a step", "of the recording"},
                {"a step stops", "the host stops"},
                {"a step makes", "the recording makes"},
                {" a step", " in all"},
                {"per step", "in all"}};
    const size_t kinds = x->of_recording ? sizeof said / sizeof *said : 0;
    while (len) {
        size_t i = 0;
        while (i < kinds && (strlen(said[i].step) > len ||
                             memcmp(text, said[i].step, strlen(said[i].step)) != 0))
            i++;
        size_t taken = i < kinds ? strlen(said[i].step) : 1;
        if (i < kinds)
            add_text(x, said[i].recording, strlen(said[i].recording));
        else
            add_text(x, text, 1);
        text += taken;
        len -= taken;
    }
}

void evidence_append(struct finding *x, const char *sentence,
                     const struct quantity *quantity, size_t n)
{
    size_t said = 0;
    for (const char *hole; (hole = strstr(sentence, "{}")); sentence = hole + 2) {
        if (said == n)
            BUG("%s has more {} than its %zu quantities", name_of(x), n);
        add_sentence(x, sentence, (size_t)(hole - sentence));
        add_quantity(x, &quantity[said++]);
    }
    if (said != n)
        BUG("%s has %zu quantities and %zu {}", name_of(x), n, said);
    add_sentence(x, sentence, strlen(sentence));
}

void evidence_parts(struct finding *x, const struct evidence_part *parts, size_t n)
{
    size_t left = 0, said = 0;
    for (size_t i = 0; i < n; i++)
        left += parts[i].count > 0;
    for (size_t i = 0; i < n; i++) {
        const struct evidence_part *p = &parts[i];
        if (!(p->count > 0))
            continue;
        left--;
        const char *between = !said++ ? "" : left ? ", " : " and ";
        evidence_say(x, "{}{} {}", quantity_words(between),
                     quantity_count(p->name, p->count),
                     quantity_words(unit_is_one(p->count) ? p->one : p->many));
    }
}
