/*
 * What one Python file says about the way it trains, kept after its syntax tree is gone.
 *
 * A place is a stretch of text that runs as often as all of it does: a module, a body of
 * a function or loop, a branch. Places form a tree; every node of the text runs in the
 * innermost place around it. "Every turn" and "every step" are answered by going up.
 *
 * Invariant: a place's parent has a smaller number than the place; places are in the
 * order of their first byte; place 0 is the module.
 */
#ifndef GAIT_SOURCE_SOURCE_FACTS_H
#define GAIT_SOURCE_SOURCE_FACTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum place_kind {
    PLACE_MODULE,
    PLACE_CLASS,
    PLACE_FUNCTION, /* also a lambda */
    PLACE_LOOP,
    PLACE_COMPREHENSION,
    PLACE_BRANCH,  /* of an if, or an exception's handler */
    PLACE_CONTEXT, /* the body of a with */
};

struct source_place {
    enum place_kind kind;
    int32_t parent; /* -1: the module */
    int32_t line;
    uint32_t begin, end; /* bytes */
    int32_t row;         /* of functions or classes, -1 for other kinds */
    bool seldom;         /* a branch not taken in most turns: if step % 100 == 0 */
    bool off;            /* a branch that is not taken with the program's defaults */
    bool on;             /* a branch that is taken with them */
    bool is_main;        /* if __name__ == "__main__": */
    bool no_grad;        /* a context or function that switches gradients off */
    /* Called here itself, not within an inner loop or function: */
    bool backward, step;
    bool step_always, step_counted; /* outside of branches of every n-th turn, in one */
    bool every_nth;                 /* such a branch: if (i + 1) % n == 0 */
    bool in_eval;        /* model.eval() was the last of eval() and train(), so far */
    bool evaluates;      /* a loop over data with the model in that mode */
    bool counts_epochs;  /* a loop that says so, by its target or what it counts to */
    bool over_data;      /* a loop over what a loader gives */
    bool counted;        /* a loop over range(…), or a while */
    bool over_parts;     /* a loop over the parts of a model, which are few */
    bool starts_in_eval; /* a loop before which the same function called model.eval() */
    uint32_t chain;      /* of a branch: one more than the byte of its if; 0: none */
    unsigned mentions;   /* MENTIONS_…; also of what it calls */
    uint32_t first_step_at; /* byte within it that leads to a loop of training steps, or
                               takes a step itself; 0: none does */
};

/* What a stretch of text speaks of, in whatever words. */
enum {
    MENTIONS_EVALUATION = 1,
    MENTIONS_SAVING = 2,
};

/* Words that job-has? asks for, as bits of so many numbers. */
enum { SOURCE_WORD_SETS = 8, SOURCE_WORDS_MAX = SOURCE_WORD_SETS * 64 };

/* Where a function runs. Roles spread from callers to what they call. */
enum source_role {
    ROLE_STEP = 1,    /* in every training step */
    ROLE_FORWARD = 2, /* a module's forward pass */
    ROLE_LOADER = 4,  /* for every sample or batch that is loaded */
    ROLE_SETUP = 8,   /* once: __init__ and the like */
    ROLE_BATCH = 32,  /* in every step, of which an epoch has many */
    ROLE_EPOCH = 16,  /* again and again between training steps, or within them */
};

struct source_function {
    const char *name;                   /* "" of a lambda */
    int32_t place, owner;               /* owner: its class, -1: none */
    int32_t line, first_line, end_line; /* first_line: of its decorators, if it has any */
    unsigned roles;
    bool called;         /* somewhere in the project */
    bool no_grad;        /* runs without gradients wherever it is called */
    bool off;            /* called from branches alone that are off */
    bool waits_last;     /* for the device, and gives it no long work behind that */
    bool waits_often;    /* in a loop of its own */
    bool backward, step; /* a call of it reaches these, not within a loop of its own */
    bool evaluates;      /* by its name */
};

struct source_class {
    const char *name;
    int32_t place;
    const char **bases; /* (n_bases) full names where the imports tell */
    int32_t n_bases;
    bool is_module; /* derives from torch.nn.Module, as far as can be seen */
};

/* A call that may lead to a function of the project, or a function handed on. */
struct source_link {
    const char *name; /* "train" of engine.train(…) */
    const char *from; /* "" of a plain name, "self", a class's or module's full name,
                         or "?" where the receiver is unknown */
    int32_t place;
    uint32_t byte;   /* of the call */
    bool for_loader; /* handed on as collate_fn, transform or worker_init_fn */
};

struct source_statement {
    uint32_t begin, end; /* bytes */
    int32_t line, end_line;
};

/* A call that may lead to a function that waits, in a turn of a loop or function. */
struct source_wait_call {
    const char *name,
        *from; /* as of a link; from a class's name: an instance is called */
    int32_t place, turn;
    uint32_t after; /* the work of the turn that it follows */
    bool last;      /* always runs, and no long work is behind it in its function */
    bool in_loop;   /* of its function */
    bool waits_last, waits_often; /* what it leads to does */
};

/* An option as a file declares it; known, number, text: as in source_options.h. */
struct source_option {
    const char *name;
    int known;
    double number;
    const char *text;
};

/* args.x, args.x > 0, not args.x */
struct source_atom {
    const char *option;
    const char *op; /* "": is it true? */
    int known;
    double number;
    const char *text;
    bool negated;
};

/* A branch that is off where one of these is false. */
enum { SOURCE_ATOMS_MAX = 4 };
struct source_choice {
    int32_t place, n;
    struct source_atom atom[SOURCE_ATOMS_MAX];
};

struct source_facts {
    struct arena text;
    struct source_statement
        *statements; /* those without a body, in the order of the text;
                                            none overlap */
    size_t n_statements, cap_statements;
    struct source_place *places;
    size_t n_places, cap_places;
    struct source_function *functions;
    size_t n_functions, cap_functions;
    struct source_class *classes;
    size_t n_classes, cap_classes;
    struct source_link *links;
    size_t n_links, cap_links;
    struct source_option *options;
    size_t n_options, cap_options;
    struct source_wait_call *wait_calls;
    size_t n_wait_calls, cap_wait_calls;
    struct source_choice *choices;
    size_t n_choices, cap_choices;
    const char **modules; /* imported, with leading dots where relative */
    size_t n_modules, cap_modules;
    uint64_t
        words[SOURCE_WORD_SETS]; /* which of the words that rules ask about are used */
    /* What the file does somewhere, for questions about the whole program: */
    bool calls_train, calls_eval; /* model.train(), model.eval() */
    bool differentiates;          /* torch.autograd.grad(), perhaps in a forward pass */
    bool own_optimizer;           /* a class of its own that is one */
    bool own_scheduler;           /* a class of its own for the learning rate */
    bool batch_configured;     /* a loader for training whose batch size is no number */
    const char *device_option; /* x of .to(args.x), and nothing else names a device */
    bool uses_device;          /* moves something to a device, or makes it there */
    bool loads_to_device;      /* its datasets or collate functions do so */
    bool compiles;             /* torch.compile(), model.compile() */
    bool moves_batches;        /* what a loader gave, as it gave it */
    bool joins_batches;        /* concatenates what loaders gave on the host */
    bool old_torch, recent_torch; /* uses what no newer, or no older one has */
    bool torch_0;                 /* runs with PyTorch 0.4 and older alone */
    bool is_trial;                /* a test or a benchmark, by its path */
    bool imported;                /* by another file of the project */
    bool is_open;       /* imports what can neither be read nor is known not to train */
    int32_t error_line; /* of the first part that could not be parsed; 0: all of it was */
};

void source_facts_init(struct source_facts *f);
void source_facts_release(struct source_facts *f);

/* The innermost place around a byte. */
int32_t source_place_at(const struct source_facts *f, uint32_t byte);
/* The statement without a body around bytes begin..end; NULL: none. */
const struct source_statement *source_statement_at(const struct source_facts *f,
                                                   uint32_t begin, uint32_t end);
/* The innermost function around a place, -1: none. */
int32_t source_function_of(const struct source_facts *f, int32_t place);
/* Of what a place runs once a turn or call: the loop or function around, or the module. */
struct source_place *source_turn_of(struct source_facts *f, int32_t place);
/* The class whose body or method a place is in, -1: none. */
int32_t source_class_of(const struct source_facts *f, int32_t place);

/* Are these in different branches of one if? */
bool source_places_exclude(const struct source_facts *f, int32_t a, int32_t b);
/* Branches between a place and one around it. */
int32_t source_branches_within(const struct source_facts *f, int32_t place,
                               int32_t around);

/* In a turn: does something that is called from the same stretch wait, or anything that is
 * called wait in a loop of its own, whenever a place runs? */
bool source_calls_wait(const struct source_facts *f, int32_t place, int32_t turn,
                       uint32_t after);

/* Does a turn of this loop take a training step, or a part of one? */
bool source_loop_trains(const struct source_place *p);

/* In a branch that is off, or a function that is called from such alone. */
bool source_is_off(const struct source_facts *f, int32_t place);
/* In every training step; with `also_seldom` also under branches that are rarely taken. */
bool source_in_step(const struct source_facts *f, int32_t place, bool also_seldom);
/* The same of steps of which an epoch has many: where one step takes all data, what it
 * costs once is not much. */
bool source_in_batch_step(const struct source_facts *f, int32_t place);
/* A place and all around it speak of these. Returns the function around if that is new
 * there, -1: none. */
int32_t source_mention(struct source_facts *f, int32_t place, unsigned mentions);
/* In a loop that holds training steps, or called from there. */
bool source_in_epochs(const struct source_facts *f, int32_t place);
/* The loop of the same function that holds all training steps and ended before a byte of
 * this place, -1: none. */
int32_t source_epochs_before(const struct source_facts *f, int32_t place, uint32_t byte);
/* The innermost loop around, in the same function, -1: none. */
int32_t source_loop_of(const struct source_facts *f, int32_t place);
/* In a function with one of these roles, on the way that is usually taken. */
bool source_in_role(const struct source_facts *f, int32_t place, unsigned roles);
/* In a loop of an evaluation. */
bool source_in_evaluation(const struct source_facts *f, int32_t place);
bool source_in_loop(const struct source_facts *f, int32_t place);
/* In a test, which runs once, whatever it looks like. */
bool source_in_test(const struct source_facts *f, int32_t place);
bool source_without_grad(const struct source_facts *f, int32_t place);

#endif
