/* Texts that go into a bundle, for whoever has no Gait at hand. */
#ifndef GAIT_CLI_BUNDLE_TEXTS_H
#define GAIT_CLI_BUNDLE_TEXTS_H

#include "base/strbuf.h"
#include "bundle/bundle.h"
#include "run/run.h"

/* The analysis as text and JSON, every rule and what came of it, and the run's facts:
 * settings, machine, versions. name: of the run in the bundle, without ".gait". */
void bundle_add_answers(struct bundle *b, const struct run *run, const char *name);
/* This machine, and the ceilings that `gait bench` measured on it where it did. */
void bundle_add_machine(struct bundle *b);

/* One line each: key, value, unit, text, and where it is from. */
void print_facts(struct strbuf *out, const struct run *run);

#endif
