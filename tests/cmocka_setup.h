/* cmocka wants these headers before its own, in this order. */
#ifndef GAIT_TESTS_CMOCKA_SETUP_H
#define GAIT_TESTS_CMOCKA_SETUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
