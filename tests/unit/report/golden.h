/* Compare with a golden text beside the test. UPDATE_GOLDEN=1 in the environment writes
 * it anew: look at the difference before you commit it. */
#ifndef GAIT_TESTS_GOLDEN_H
#define GAIT_TESTS_GOLDEN_H

#include "base/file.h"
#include "base/mem.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_golden(const char *text, size_t len, const char *name)
{
    char path[512];
    char *golden = NULL;
    size_t golden_len = 0;
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/unit/report/golden/%s", TESTS_DIR, name);
    if (getenv("UPDATE_GOLDEN")) {
        if (file_write(path, text, len, &err))
            fail_msg("%s", err.text);
        return;
    }
    if (file_read(&golden, &golden_len, path, 1 << 20, &err))
        fail_msg("%s", err.text);
    assert_string_equal(text, golden);
    assert_int_equal(len, golden_len);
    mem_free(golden);
}

#endif
