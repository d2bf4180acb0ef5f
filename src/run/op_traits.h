/*
 * What PyTorch itself says of an operator, as bits of watched_ops.traits: from its
 * schema, its tags, and one short table of names in the hook
 * (hook/gait_hook/observing/flow_ops.py).
 */
#ifndef GAIT_RUN_OP_TRAITS_H
#define GAIT_RUN_OP_TRAITS_H

/* E(VALUE, "meaning"), from the lowest bit on */
#define OP_TRAIT_LIST(E)                                                                 \
    E(VIEW, "its result is a view of what it is given; it writes nothing")               \
    E(RANDOM, "draws random numbers")                                                    \
    E(HOST_READ, "gives a value to the host")                                            \
    E(COLLECTIVE, "exchanges with other ranks; writes what it is given")                 \
    E(POINTWISE, "works element by element")                                             \
    E(COPY, "copies, and may cast or change the layout")                                 \
    E(FACTORY, "is given no tensor")                                                     \
    E(WRITES_ONLY, "writes in place without reading what was there")                     \
    E(COMPOSITE, "is made of other operators")                                           \
    E(OPTIMIZER, "is called by one of PyTorch's optimizers")                             \
    E(MULTIPLIES, "multiplies element by element, or puts numbers in where a mask says") \
    E(SELECTS, "gives elements of what it is given first, by their places")              \
    E(SORTS, "sorts")                                                                    \
    E(BY_ROWS, "makes each row of that row of what it is given first")                   \
    E(JOINS_ROWS, "puts rows of all that it is given side by side")                      \
    E(BY_LABELS, "takes of each row what an integer says, and leaves rows out by it")

#define OP_TRAIT_BIT(v, meaning) OP_TRAIT_BIT_##v,
enum op_trait_bit { OP_TRAIT_LIST(OP_TRAIT_BIT) OP_TRAIT_COUNT };
#define OP_TRAIT_VALUE(v, meaning) OP_TRAIT_##v = 1 << OP_TRAIT_BIT_##v,
enum op_trait { OP_TRAIT_LIST(OP_TRAIT_VALUE) };

#endif
