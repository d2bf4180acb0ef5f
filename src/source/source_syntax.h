/*
 * A file while its tree is at hand: what its names stand for. Private to this folder.
 */
#ifndef GAIT_SOURCE_SOURCE_SYNTAX_H
#define GAIT_SOURCE_SOURCE_SYNTAX_H

#include "source/python_nodes.h"
#include "source/source_facts.h"
#include "source/source_query.h"

enum value_kind {
    KIND_UNKNOWN,
    KIND_TENSOR, /* on the device, as far as can be seen */
    KIND_HOST,   /* a tensor in the host's memory */
    KIND_ARRAY,  /* NumPy's */
    KIND_NUMBER, /* a Python value: number, text, list, shape */
    KIND_MODULE, /* a model, layer or loss function: what it returns is a tensor */
    KIND_LOADER,
    KIND_OPTIMIZER,
};

/* loss of loss.backward() or scaler.backward(loss); action of env.step(action). */
struct used_value {
    TSNode of;
    int32_t place;
};

/* A name that gets a value. */
struct binding {
    struct slice name;
    int32_t scope; /* function's row; class's row of self.name, as SCOPE_CLASS(row) */
    uint32_t byte; /* of the statement's end: later text sees it */
    int32_t place;
    enum value_kind kind;
    bool changed;      /* in place, later: x[i] = …, x.fill_(), x.append() */
    bool shown;        /* the kind is seen, not guessed: see value_shown() */
    TSNode value;      /* a null node: a parameter, a loop's target */
    TSNode whole;      /* a, b = WHOLE: what is unpacked, or a null node */
    int32_t item;      /* the name's place there, from 0 */
    int32_t previous;  /* binding of the same name and scope, -1: none */
    int32_t next_hash; /* with the same hash, -1: none */
};
#define SCOPE_MODULE (-1)
#define SCOPE_CLASS(row) (-2 - (row))

struct import {
    struct slice alias;
    const char *full; /* "torch.nn.functional" */
    int32_t next_hash;
};

enum { SYNTAX_HASH_SIZE = 1024, KINDS_KEPT = 1024 };

/* The kind of a node that was asked for: many patterns ask for the same. */
struct known_kind {
    const void *node;
    uint32_t byte;
    enum value_kind kind;
};

struct source_syntax {
    const char *text;
    size_t len;
    TSTree *tree;
    struct source_facts *facts;
    struct source_file *file; /* takes the comments */
    struct work_limit *limit; /* of what runs: the walk, then the search */
    struct binding *bindings;
    size_t n_bindings, cap_bindings;
    struct import *imports;
    size_t n_imports, cap_imports;
    int32_t binding_of_hash[SYNTAX_HASH_SIZE], import_of_hash[SYNTAX_HASH_SIZE];
    enum value_kind *returns; /* (functions) */
    TSNode *returned;         /* (functions) the last return's value, or a null node */
    size_t cap_returns, cap_returned;
    struct used_value *gradients; /* what is backpropagated */
    size_t n_gradients, cap_gradients;
    struct used_value *actions; /* what a simulator is given */
    size_t n_actions, cap_actions;
    TSNode *calls; /* all of the file */
    size_t n_calls, cap_calls;
    struct python_nodes nodes; /* in use while the file is read */
    struct wait_events *waits; /* source_waits.c; empty until a rule asks */
    struct known_kind *kinds;  /* (KINDS_KEPT) NULL until all names have their values */
};

/* s->text, len, tree, nodes, facts and limit are set by the caller, who releases *s. Fills
 * the facts too. */
enum status source_syntax_read(struct source_syntax *s, const struct source_query *q,
                               const char *name, struct err *err);
void source_syntax_release(struct source_syntax *s);

/* The newest binding of a name before a byte, as seen from a place; NULL: none. Where
 * the name is only bound later, as in a loop, that one. */
const struct binding *binding_of(const struct source_syntax *s, struct slice name,
                                 int32_t place, uint32_t byte);
/* The same of self.name. */
const struct binding *binding_of_self(const struct source_syntax *s, struct slice name,
                                      int32_t place, uint32_t byte);
/* What x or self.x is bound to is changed in place: x[i] = …, x.add_(…). */
void binding_note_change(struct source_syntax *s, TSNode of, int32_t place);
/* Returns the row. */
int32_t binding_add(struct source_syntax *s, struct binding b);
void import_add(struct source_syntax *s, struct slice alias, const char *full);

/* The full name of a dotted expression by the imports: "torch.nn.functional.softmax" of
 * F.softmax; the text itself where no import tells; "" where it is not dotted names.
 * out holds size bytes; longer names become "". */
void full_name(const struct source_syntax *s, TSNode n, char *out, size_t size);

enum { FULL_NAME_MAX = 160 };

/* What an expression is, by how it was made. */
enum value_kind value_kind(const struct source_syntax *s, TSNode n);
/* Is the kind seen from how the value was made or used? Otherwise it is a guess: an
 * argument of forward() is taken for a tensor, a name with "loss" too. */
bool value_shown(const struct source_syntax *s, TSNode n);
/* A method that only tensors have is called on a name: that shows what it is. */
void binding_show_tensor(struct source_syntax *s, TSNode name, int32_t place);

/* Is it what a loader gave, or a part of that, on the host and as it was given? */
bool value_is_loaded(const struct source_syntax *s, TSNode n);

/* numpy() was called on what is made of this name alone: no tensor of a device has it. */
void binding_show_host(struct source_syntax *s, TSNode object, int32_t place);

/* Is it one of these words, which are separated by blanks? */
bool word_is_listed(struct slice word, const char *list);
/* Has a name one of these words, as "loss" in total_loss, lossFn and loss2? words are
 * separated by blanks. */
bool name_has_word(struct slice name, const char *words);

/* x of f(x, y=1): positional argument i from 0, or a null node. */
TSNode argument_at(TSNode arguments, uint32_t i);
/* y of f(x, y=1) by its name, or a null node. */
TSNode argument_named(const struct source_syntax *s, TSNode arguments, const char *name);
/* Does a call hand on *args or **kwargs? */
bool arguments_splat(TSNode arguments);

#endif
