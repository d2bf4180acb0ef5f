/* A bundle is an archive that tar(1) and sha256sum(1) agree with. */
#include "base/file.h"
#include "base/mem.h"
#include "bundle/bundle.h"
#include "bundle/tar_header.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The checksum is the sum of the header with blanks in its place. */
static void a_header_has_its_checksum(void **state)
{
    (void)state;
    uint8_t h[TAR_BLOCK_BYTES];
    char name[TAR_NAME_MAX + 1];
    memset(name, 'n', TAR_NAME_MAX);
    name[TAR_NAME_MAX] = '\0';
    tar_header(h, name, 1234567, 1700000000);
    unsigned sum = 0;
    for (int i = 0; i < TAR_BLOCK_BYTES; i++)
        sum += i >= 148 && i < 156 ? ' ' : h[i];
    assert_int_equal(strtoul((char *)h + 148, NULL, 8), sum);
    assert_int_equal(strtoul((char *)h + 124, NULL, 8), 1234567);
    assert_memory_equal(h, name, TAR_NAME_MAX);
    assert_memory_equal(h + 257, "ustar\00000", 8);
}

static void tar_reads_what_was_written(void **state)
{
    (void)state;
    char folder[] = "/tmp/gait-bundle-test-XXXXXX", path[64], command[512];
    struct bundle b;
    struct err err = ERR_INIT;
    enum { BIG = 3000001 };
    char *big = mem_alloc(BIG);
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < BIG; i++)
        big[i] = (char)(i * 2654435761u >> 13);
    snprintf(path, sizeof path, "%s/b.tar.gz", folder);
    bundle_init(&b, false);
    bundle_add(&b, "empty.txt", "nothing", "", 0);
    bundle_add(&b, "block.txt", "a whole block", big, TAR_BLOCK_BYTES);
    bundle_add(&b, "files/big.bin", "much", big, BIG);
    assert_int_equal(bundle_write(&b, path, &err), STATUS_OK);
    snprintf(command, sizeof command,
             "cd %s && tar xzf b.tar.gz && cd gait-bundle && "
             "grep -q $(sha256sum files/big.bin | cut -c1-64) manifest.json && "
             "grep -q $(sha256sum empty.txt | cut -c1-64) manifest.json && "
             "test $(stat -c %%s files/big.bin) = %d",
             folder, BIG);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    bundle_release(&b);
    mem_free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_has_its_checksum),
        cmocka_unit_test(tar_reads_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
