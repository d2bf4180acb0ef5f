/*
 * What work may be needless, by what it does: each class is defined on the graph alone
 * (flow_graph.h), on what PyTorch says of an operator (run/op_traits.h), and on what
 * tensors hold. Families of operators (run/op_family.h) count where products do.
 *
 *   invariant   the same in every watched step: it could be kept from the first
 *   repeated    done before in this step, in the forward pass or an earlier backward pass
 *   recomputed  done in the forward pass, and again in the backward pass, by the same line
 *   unread      nothing that lasts depends on it: parameters, optimizer state, buffers
 *               and other storages that were there before do not
 *   copied      a copy of the same type and layout that nobody writes, of what nobody
 *               writes as long as the copy is read; a cast to a wider type and back; a
 *               change of layout whose inverse follows; nearly all of a tensor, to leave
 *               out a few of its rows or put a few in
 *   cleared     all of an older gradient is overwritten with a constant, then added to
 *   thrown away what the backward pass computes and nothing that lasts depends on, whole
 *               or one gradient of several
 *   passes      a second backward pass through the same forward calls, whose gradients
 *               are only added to those of the first
 *   zeros       multiplied by 0, or made of that: all of it, or whole rows; and dense
 *               products of what is nearly all zeros
 *   partly      of what it makes a small part is read, or gets a gradient by a choice
 *   rows        computed row by row of rows that are copies of one another
 *   order       two products of matrices that multiply far less in the other order
 *   wider       computed in float64 from what was narrower, for what is narrower again
 *   even        a collective of what is the same on all ranks already
 *   pieces      many calls of one operator at one place in a step that do not wait for
 *               one another, or are tiny
 *
 * An operator has the first class that fits. What is in the last watched step may be read
 * after it: there nothing is unread.
 */
#ifndef GAIT_FLOW_FLOW_CLASSES_H
#define GAIT_FLOW_FLOW_CLASSES_H

#include "flow/flow_graph.h"

/* E(VALUE, "name") */
#define FLOW_CLASS_LIST(E)                                                               \
    E(NONE, "needed")                                                                    \
    E(INVARIANT, "invariant")                                                            \
    E(REPEATED, "repeated")                                                              \
    E(RECOMPUTED, "recomputed")                                                          \
    E(CLEARED, "cleared")                                                                \
    E(UNREAD, "unread")                                                                  \
    E(THROWN_AWAY, "thrown-away")                                                        \
    E(COPIED, "copied")                                                                  \
    E(PASSES, "passes")                                                                  \
    E(ZEROS, "zeros")                                                                    \
    E(PARTLY, "partly")                                                                  \
    E(ROWS, "rows")                                                                      \
    E(ORDER, "order")                                                                    \
    E(WIDER, "wider")                                                                    \
    E(EVEN, "even")                                                                      \
    E(PIECES, "pieces")
#define FLOW_CLASS_VALUE(v, name) FLOW_CLASS_##v,
enum flow_class { FLOW_CLASS_LIST(FLOW_CLASS_VALUE) FLOW_CLASS_COUNT };
extern const char *const flow_class_name[FLOW_CLASS_COUNT];

/* Would it be gone? What is made in pieces, too wide or too large is still to be made. */
static inline bool flow_class_goes(enum flow_class class)
{
    return class != FLOW_CLASS_NONE && class != FLOW_CLASS_PIECES &&
           class != FLOW_CLASS_WIDER && class != FLOW_CLASS_ZEROS &&
           class != FLOW_CLASS_PARTLY && class != FLOW_CLASS_ROWS &&
           class != FLOW_CLASS_ORDER;
}

/* What was there before, is larger and is written to lasts: smaller ones are sums and
 * counts for the log. */
#define FLOW_LASTING_BYTES 16384

/* What was found of each operator (g->n). */
struct flow_classes {
    enum flow_class *of;
    double *keep;   /* part that would stay, where its class says how much */
    int32_t *cause; /* operator for whose sake it is of its class: itself, or the one that
                       leaves out rows that were computed for it */
};

/* Would all of the call be gone? */
static inline bool flow_call_goes(const struct flow_classes *c, size_t op)
{
    return flow_class_goes(c->of[op]) && c->keep[op] <= 0;
}

struct flow_classes flow_classes_of(const struct flow_graph *g);
void flow_classes_release(struct flow_classes *c);

/* Are there collectives that statements of the job ask for, outside of the backward pass,
 * and does something that lasts depend on what each of them gives? */
bool flow_exchanges_are_needed(const struct flow_graph *g);

#endif
