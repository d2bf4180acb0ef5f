/* What the settings say about the model, its engine and its optimizer. */
#ifndef GAIT_TRAIN_MODEL_SETTINGS_H
#define GAIT_TRAIN_MODEL_SETTINGS_H

#include "config/config.h"
#include "engine/engine.h"
#include "model/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

struct model_shape shape_of_settings(const struct config *c, int64_t vocab);
struct engine_options engine_of_settings(const struct config *c);
/* Dropout differs from rank to rank. */
struct model_options options_of_settings(const struct config *c, int64_t batch, int rank);
struct optimizer optimizer_of_settings(const struct config *c);
struct schedule schedule_of_settings(const struct config *c, int64_t steps);

#endif
