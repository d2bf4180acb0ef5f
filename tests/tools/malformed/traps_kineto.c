/* What kineto-format.md warns of: odd, but JSON. Nothing of it may cost an event beside
 * it. */
#include "traps.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct named_text {
    const char *name, *text;
};

static void each_element(struct corpus *c, const struct named_text *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        damaged_element(c, list[i].name, list[i].text);
}

/* An event of this category at 1500 µs, with these arguments. */
#define EVENT(cat, name, pid, tid, ts, dur, args)                                        \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name "\", \"pid\": " pid        \
    ", \"tid\": " tid ", \"ts\": " ts ", \"dur\": " dur ", \"args\": {" args "}}"
#define KERNEL(args) EVENT("kernel", "gemm", "0", "7", "1500", "4", args)
#define LAUNCH(args)                                                                     \
    EVENT("cuda_runtime", "cudaLaunchKernel", "9", "10", "1490", "3", args)

void device_work_without_launch(struct corpus *c)
{
    static const struct named_text list[] = {
        {"no_correlation", KERNEL("\"device\": 0, \"stream\": 7")},
        {"correlation_of_nobody", KERNEL("\"correlation\": 77")},
        {"correlation_0", KERNEL("\"correlation\": 0")},
        {"correlation_minus_1", KERNEL("\"correlation\": -1")},
        {"correlation_as_text", KERNEL("\"correlation\": \"12\"")},
        {"correlation_without_bounds", KERNEL("\"correlation\": 99999999999999999999")},
        {"no_args", "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, "
                    "\"tid\": 7, \"ts\": 1500, \"dur\": 4}"},
        {"launch_without_work", LAUNCH("\"correlation\": 5")},
    };
    each_element(c, list, COUNT_OF(list));
}

void one_correlation_many_kernels(struct corpus *c)
{
    for (int launches = 0; launches < 3; launches++) {
        corpus_open(c, "%d_launches", launches);
        put_head(c);
        put_before(c, AROUND);
        for (int i = 0; i < launches; i++)
            put_element(c, LAUNCH("\"correlation\": 5"));
        for (int i = 0; i < 500; i++) {
            put_comma(c);
            put(c,
                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"node\", \"pid\": 0, "
                "\"tid\": 7, \"ts\": %d, \"dur\": 1, \"args\": {\"correlation\": 5, "
                "\"graph id\": 1, \"graph node id\": %d}}",
                1500 + i, i);
        }
        put_after(c, AROUND);
        put_foot(c);
        corpus_close(c);
    }
}

void pids_of_a_container(struct corpus *c)
{
    static const struct named_text list[] = {
        {"kernel_on_the_hosts_row", EVENT("kernel", "k", "9", "10", "1500", "4", "")},
        {"op_on_pid_0", EVENT("cpu_op", "odd", "0", "7", "1500", "4", "")},
        {"host_1_device_2", EVENT("kernel", "k", "2", "0", "1500", "4", "\"device\": 2")},
        {"device_that_is_not_the_pid",
         EVENT("kernel", "k", "0", "7", "1500", "4", "\"device\": 3, \"stream\": 9")},
        {"a_device_of_any_number",
         EVENT("kernel", "k", "0", "7", "1500", "4", "\"device\": 2147483648")},
    };
    each_element(c, list, COUNT_OF(list));
    corpus_open(c, "a_thousand_devices");
    put_head(c);
    put_before(c, AROUND);
    for (int i = 0; i < 1000; i++) {
        put_comma(c);
        put(c,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": "
            "7, "
            "\"ts\": %d, \"dur\": 3, \"args\": {\"device\": %d}}",
            1500 + i, i);
    }
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void arrows_without_partners(struct corpus *c)
{
    static const struct named_text list[] = {
        {"end_on_the_host",
         "{\"ph\": \"f\", \"id\": 5, \"pid\": 9, \"tid\": 10, \"ts\": "
         "1500, \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"}"},
        {"start_without_end",
         "{\"ph\": \"s\", \"id\": 5, \"pid\": 9, \"tid\": 10, \"ts\": "
         "1500, \"cat\": \"ac2g\", \"name\": \"ac2g\"}"},
        {"a_step_of_an_arrow", "{\"ph\": \"t\", \"id\": 5, \"ts\": 1500}"},
        {"id_as_text",
         "{\"ph\": \"s\", \"id\": \"0x5\", \"ts\": 1500, \"cat\": \"ac2g\"}"},
        {"nothing_but_ph", "{\"ph\": \"f\"}"},
        {"bp_first", "{\"bp\": \"e\", \"ph\": \"f\", \"id\": 1}"},
        {"complete_event_of_an_arrows_category",
         EVENT("ac2g", "ac2g", "9", "10", "1500", "4", "")},
    };
    each_element(c, list, COUNT_OF(list));
}

/* Good events whose times run as the case says. */
static void events_at(struct corpus *c, const char *variant, int n, int first_us,
                      int step_us, int dur_us)
{
    corpus_open(c, "%s", variant);
    put_head(c);
    for (int i = 0; i < n; i++) {
        put_comma(c);
        put(c,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" GOOD_BEFORE
            "\", \"pid\": 9, \"tid\": 10, \"ts\": %d, \"dur\": %d}",
            first_us + i * step_us, dur_us);
    }
    c->now.before = c->now.before_min = n;
    put_foot(c);
    corpus_close(c);
}

void events_out_of_order(struct corpus *c)
{
    events_at(c, "backwards", 200, 10000, -10, 5);
    events_at(c, "all_at_once", 200, 10000, 0, 5);
    events_at(c, "all_at_once_of_no_length", 200, 10000, 0, 0);
    events_at(c, "all_of_no_length", 200, 10000, 1, 0);
    events_at(c, "all_at_0", 200, 0, 0, 0);
    events_at(c, "before_1970", 200, -10000, 10, 5);
}

void nesting_that_overlaps(struct corpus *c)
{
    events_at(c, "a_ladder", 300, 1000, 1, 500);
    events_at(c, "a_ladder_backwards", 300, 100000, -1, 500);
    events_at(c, "a_long_ladder", 20000, 1000, 1, 1000000);
    static const struct named_text list[] = {
        {"a_stream_overlaps_itself",
         KERNEL("\"stream\": 7") "," EVENT("kernel", "k", "0", "7", "1502", "9", "")},
        {"a_callee_ends_later",
         EVENT("cpu_op", "odd", "9", "10", "1500", "10",
               "") "," EVENT("cpu_op", "odd2", "9", "10", "1509.999", "10.002", "")},
        {"steps_overlap", EVENT("user_annotation", "ProfilerStep#1", "9", "10", "900",
                                "800", "") "," EVENT("user_annotation", "ProfilerStep#2",
                                                     "9", "10", "1000", "100", "")},
        {"steps_of_one_number",
         EVENT("user_annotation", "ProfilerStep#1", "9", "10", "900", "80", "") "," EVENT(
             "user_annotation", "ProfilerStep#1", "9", "10", "1000", "100", "")},
        {"step_without_number",
         EVENT("user_annotation", "ProfilerStep#", "9", "10", "900", "800", "")},
        {"step_of_any_number",
         EVENT("user_annotation", "ProfilerStep#99999999999999999999", "9", "10", "900",
               "800", "")},
        {"step_of_a_negative_number",
         EVENT("user_annotation", "ProfilerStep#-3", "9", "10", "900", "800", "")},
    };
    each_element(c, list, COUNT_OF(list));
}

void rows_named_by_text(struct corpus *c)
{
    static const struct named_text list[] = {
        {"stream_7", EVENT("Kernel", "k", "0", "\"stream 7\"", "1500", "4", "")},
        {"tid_as_text", EVENT("cpu_op", "odd", "\"9\"", "\"10\"", "1500", "4", "")},
        {"spans", EVENT("Trace", "PyTorch Profiler (0)", "\"Spans\"",
                        "\"PyTorch Profiler\"", "1500", "4", "")},
        {"traces", EVENT("cpu_op", "odd", "\"Traces\"", "\"Trace\"", "1500", "4", "")},
        {"empty", EVENT("cpu_op", "odd", "\"\"", "\"\"", "1500", "4", "")},
        {"not_ascii",
         EVENT("cpu_op", "odd", "\"\xc3\xa9\"", "\"\\u00e9\"", "1500", "4", "")},
        {"many_digits",
         EVENT("cpu_op", "odd", "\"x99999999999999999999999\"", "1", "1500", "4", "")},
        {"negative", EVENT("cpu_op", "odd", "-1", "-2147483648", "1500", "4", "")},
        {"fraction", EVENT("cpu_op", "odd", "1.5", "2e3", "1500", "4", "")},
        {"metadata_of_no_row", "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, "
                               "\"tid\": [], \"args\": {\"name\": 5}}"},
        {"metadata_without_name",
         "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 9, "
         "\"tid\": 10, \"args\": {}}"},
        {"metadata_of_blanks", "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 9, "
                               "\"tid\": 10, \"args\": {\"name\": \"      \"}}"},
    };
    each_element(c, list, COUNT_OF(list));
}

void amd_spellings(struct corpus *c)
{
    static const struct named_text list[] = {
        {"bytes_as_text", EVENT("gpu_memcpy", "CopyHostToDevice", "2", "0", "1500", "4",
                                "\"bytes\": \"4096\", \"kind\": \"HtoD\"")},
        {"bytes_as_no_number", EVENT("gpu_memcpy", "CopyHostToDevice", "2", "0", "1500",
                                     "4", "\"bytes\": \"4 KB\"")},
        {"cid",
         EVENT("cuda_runtime", "hipLaunchKernel", "1", "1", "1500", "4",
               "\"cid\": 107, \"correlation\": 3, \"ptr\": \"0x18a6fbe588bfe435\"")},
        {"mangled_name", EVENT("kernel", "_ZN2ck16tensor_operation6device12_GLOBAL__N_1",
                               "2", "0", "1500", "4", "\"stream\": 0")},
        {"hip_runtime",
         EVENT("hip_runtime", "hipLaunchKernel", "1", "1", "1500", "4", "")},
    };
    each_element(c, list, COUNT_OF(list));
    corpus_open(c, "an_empty_device_name");
    put(c, "{\"deviceProperties\": [{\"id\": 0, \"name\": \"\"}], \"traceEvents\": [");
    put_before(c, AROUND);
    put(c, "]}");
    corpus_close(c);
}

void spelling_varies(struct corpus *c)
{
    static const struct named_text list[] = {
        {"small_external_id", EVENT("cpu_op", "odd", "9", "10", "1500", "4",
                                    "\"external id\": 5, \"External id\": 6")},
        {"input_dims", EVENT("Operator", "odd", "9", "\"10\"", "1500", "4",
                             "\"Input dims\": [[1, 2], []], \"INPUT DIMS\": [[3]]")},
        {"grid_as_text", KERNEL("\"grid\": \"[1, 2, 3]\", \"stream\": \"7\"")},
        {"escaped_keys",
         "{\"\\u0070h\": \"X\", \"c\\u0061t\": \"cpu_op\", \"n\\u0061me\": "
         "\"odd\", \"ts\": 1500, \"dur\": 4}"},
        {"keys_in_capitals", "{\"PH\": \"X\", \"CAT\": \"cpu_op\", \"TS\": 1500}"},
        {"keys_with_blanks", "{\" ph \": \"X\", \"cat \": \"cpu_op\"}"},
        {"empty_key", "{\"\": 1, \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
                      "\"ts\": 1500, \"dur\": 4}"},
        {"args_first",
         "{\"args\": {\"name\": \"x\", \"ts\": 9, \"ph\": \"M\"}, \"ph\": \"X\", "
         "\"cat\": \"cpu_op\", \"name\": \"odd\", \"ts\": 1500, \"dur\": 4}"},
    };
    each_element(c, list, COUNT_OF(list));
}

void times_that_cannot_be(struct corpus *c)
{
    static const struct named_text list[] = {
        {"kernel_at_0", EVENT("kernel", "k", "0", "7", "0", "0", "\"correlation\": 5")},
        {"kernel_at_0_with_length", EVENT("kernel", "k", "0", "7", "0", "5", "")},
        {"kernel_before_its_launch",
         EVENT("kernel", "k", "0", "7", "1400", "5",
               "\"correlation\": 5") "," LAUNCH("\"correlation\": 5")},
        {"eight_days", EVENT("kernel", "k", "0", "7", "1500", "691200000000", "")},
        {"seven_days", EVENT("kernel", "k", "0", "7", "1500", "604800000000", "")},
        {"seven_days_and_1_ns",
         EVENT("kernel", "k", "0", "7", "1500", "604800000000.001", "")},
        {"negative_length", EVENT("cpu_op", "odd", "9", "10", "1500", "-1", "")},
        {"minus_1_ns", EVENT("cpu_op", "odd", "9", "10", "1500", "-0.001", "")},
        {"the_end_of_time",
         EVENT("cpu_op", "odd", "9", "10", "4000000000000000", "1", "")},
        {"the_end_of_int64",
         EVENT("cpu_op", "odd", "9", "10", "9223372036854775.807", "0", "")},
        {"finer_than_a_ns",
         EVENT("cpu_op", "odd", "9", "10", "1500.0004999", "1.9999999", "")},
        {"in_quotes", EVENT("cpu_op", "odd", "9", "10", "\"1500\"", "\"4\"", "")},
        {"a_memory_event_at_no_time", "{\"ph\": \"i\", \"name\": \"[memory]\", \"args\": "
                                      "{\"Total Allocated\": 5}}"},
    };
    each_element(c, list, COUNT_OF(list));
    damaged_element(c, "the_beginning_of_time",
                    EVENT("cpu_op", "odd", "9", "10", "-4000000000000000", "1", ""));
}

void no_rank_or_a_strange_one(struct corpus *c)
{
    static const char *const infos[] = {
        "{}",
        "{\"rank\": -1, \"world_size\": 8}",
        "{\"rank\": 99999999999, \"world_size\": 0}",
        "{\"rank\": \"3\", \"world_size\": \"8\"}",
        "{\"rank\": 1.5, \"world_size\": 2.5}",
        "{\"rank\": null, \"world_size\": null}",
        "{\"rank\": 9, \"world_size\": 8}",
        "{\"rank\": 3, \"rank\": 4, \"pg_config\": [{\"ranks\": [0, 1]}]}",
        "{\"backend\": \"nccl\\u0000\", \"rank\": [3]}",
    };
    for (size_t i = 0; i < COUNT_OF(infos); i++)
        for (int foot = 0; foot < 2; foot++) {
            corpus_open(c, "%s_%zu", foot ? "in_the_footer" : "in_the_head", i);
            put(c, "{\"%s\": %s, \"traceEvents\": [", foot ? "x" : "distributedInfo",
                foot ? "1" : infos[i]);
            put_before(c, AROUND);
            put(c, "], \"%s\": %s}", foot ? "distributedInfo" : "x",
                foot ? infos[i] : "1");
            corpus_close(c);
        }
    damaged_element(c, "in_an_argument",
                    EVENT("cpu_op", "odd", "9", "10", "1500", "4", "\"Rank\": 3"));
    damaged_element(c, "in_an_argument_negative",
                    EVENT("cpu_op", "odd", "9", "10", "1500", "4", "\"rank\": -7"));
}

void ids_and_sizes_that_overflowed(struct corpus *c)
{
    static const struct named_text list[] = {
        {"negative_bytes", EVENT("gpu_memcpy", "Memcpy HtoD", "0", "7", "1500", "4",
                                 "\"bytes\": -2147483648")},
        {"bytes_of_int64",
         EVENT("gpu_memcpy", "Memcpy HtoD", "0", "7", "1500", "4",
               "\"bytes\": 9223372036854775807") "," EVENT("gpu_memcpy", "Memcpy HtoD",
                                                           "0", "7", "1510", "4",
                                                           "\"bytes\": "
                                                           "9223372036854775807")},
        {"bytes_beyond", EVENT("gpu_memcpy", "Memcpy HtoD", "0", "7", "1500", "4",
                               "\"bytes\": 18446744073709551615")},
        {"negative_tid", EVENT("cpu_op", "odd", "9", "-1530494976", "1500", "4", "")},
        {"tid_of_uint64",
         EVENT("cpu_op", "odd", "9", "18446744073709551615", "1500", "4", "")},
        {"wrong_external_id", EVENT("cpu_op", "odd", "9", "10", "1500", "4",
                                    "\"External id\": 18446744073709551615")},
        {"negative_stream", EVENT("cuda_sync", "Context Sync", "0", "-1", "1500", "4",
                                  "\"stream\": -1, \"device\": -1")},
        {"waits_for_nobody",
         EVENT("cuda_sync", "Stream Wait Event", "0", "7", "1500", "4",
               "\"wait_on_stream\": -1, \"wait_on_cuda_event_record_corr_id\": -1")},
        {"sequence_of_any_number", EVENT("cpu_op", "odd", "9", "10", "1500", "4",
                                         "\"Ev Idx\": 9223372036854775807")},
    };
    each_element(c, list, COUNT_OF(list));
}

void memory_events_without_numbers(struct corpus *c)
{
#define MEMORY(args)                                                                     \
    "{\"ph\": \"i\", \"name\": \"[memory]\", \"pid\": 9, \"tid\": 10, \"ts\": 1500, "    \
    "\"args\": {" args "}}"
    static const struct named_text list[] = {
        {"nothing", MEMORY("")},
        {"bytes_alone", MEMORY("\"Bytes\": 4096")},
        {"bytes_that_overflow", MEMORY("\"Bytes\": 9223372036854775807") "," MEMORY(
                                    "\"Bytes\": 9223372036854775807")},
        {"bytes_that_underflow", MEMORY("\"Bytes\": -9223372036854775807") "," MEMORY(
                                     "\"Bytes\": -9223372036854775807")},
        {"a_negative_total", MEMORY("\"Total Allocated\": -5, \"Total Reserved\": -5")},
        {"any_device", MEMORY("\"Device Type\": 1, \"Device Id\": 99999999999, "
                              "\"Total Allocated\": 1, \"Total Reserved\": 1")},
        {"a_device_of_no_type", MEMORY("\"Device Type\": null, \"Total Allocated\": 1")},
        {"no_args", "{\"ph\": \"i\", \"name\": \"[memory]\", \"ts\": 1}"},
        {"at_the_end_of_time", "{\"ph\": \"i\", \"name\": \"[memory]\", \"ts\": "
                               "9223372036854775, \"args\": {\"Total Allocated\": 5}}"},
    };
    each_element(c, list, COUNT_OF(list));
}

void bases_that_cannot_be(struct corpus *c)
{
    static const char *const bases[] = {"-1",
                                        "0",
                                        "9223372036854775807",
                                        "1e30",
                                        "\"1711964646000000000\"",
                                        "1711964646000000000.5",
                                        "4000000000000000001"};
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        corpus_open(c, "base_%zu", i);
        put(c, "{\"baseTimeNanoseconds\": %s, \"traceEvents\": [", bases[i]);
        put_before(c, AROUND);
        put(c, "], \"baseTimeNanoseconds\": %s}", bases[i]);
        corpus_close(c);
    }
    corpus_open(c, "base_and_times_since_1970");
    put(c, "{\"baseTimeNanoseconds\": 1711964646000000000, \"traceEvents\": [");
    c->clock_us = 1711964646000000;
    put_before(c, AROUND);
    put(c, "]}");
    corpus_close(c);
}
