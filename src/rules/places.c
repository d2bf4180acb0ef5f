#include "rules/places.h"

#include "rules/device_calls.h"

#include <stdio.h>
#include <string.h>

void places_add(struct places *p, const struct evidence *e, const struct host_thread *t,
                const struct host_op *op)
{
    char text[PLACE_TEXT_MAX];
    size_t i = 0;
    device_where(text, sizeof text, e, t, op);
    while (i < p->n && strcmp(p->place[i].text, text))
        i++;
    if (i == PLACES_MAX) {
        p->others++;
        return;
    }
    if (i == p->n) {
        memcpy(p->place[i].text, text, sizeof text);
        p->place[i].ns = 0;
        p->n++;
    }
    p->place[i].ns += (double)host_op_ns(op);
}

/* The place that holds most, taken out; NULL: none is left. Of equals the first. */
static struct place *places_take(struct places *p)
{
    struct place *most = NULL;
    for (size_t i = 0; i < p->n; i++)
        if (p->place[i].ns >= 0 && (!most || p->place[i].ns > most->ns))
            most = &p->place[i];
    if (most)
        most->ns = -1;
    return most;
}

void places_tell(struct places *p, char *text, size_t size)
{
    const struct place *first = places_take(p), *second = places_take(p);
    size_t more = p->n > 2 ? p->n - 2 : 0;
    int len = snprintf(text, size, "%s%s%s", first ? first->text : "", second ? "; " : "",
                       second ? second->text : "");
    if (more && len >= 0 && (size_t)len < size)
        snprintf(text + len, size - (size_t)len, "; %zu%s more %s", more,
                 p->others ? " or" : "", more == 1 ? "place" : "places");
}
