/* The checks of config_check(), private to this folder: each is OK or sets what is wrong
 * and what to set instead. */
#ifndef GAIT_CONFIG_CONFIG_CHECK_H
#define GAIT_CONFIG_CONFIG_CHECK_H

#include "config/config.h"

enum status check_heads(const struct config *c, struct err *err);
enum status check_kv_heads(const struct config *c, struct err *err);
enum status check_head_size(const struct config *c, struct err *err); /* heads checked */
enum status check_rope_scaling(const struct config *c, struct err *err);

int64_t largest_divisor_up_to(int64_t n, int64_t limit); /* both at least 1 */

#endif
