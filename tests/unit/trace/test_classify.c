#include "cmocka_setup.h"

#include "trace/classify.h"

#include <string.h>

struct expectation {
    const char *cat, *name;
    enum span_kind kind;
    enum lane_kind lane;
};

static const struct expectation expectations[] = {
    {"cpu_op", "aten::mm", SPAN_KIND_OP, LANE_KIND_CPU},
    {"Operator", "aten::mm", SPAN_KIND_OP, LANE_KIND_CPU},
    {"Operator", "ProfilerStep#3", SPAN_KIND_STEP, LANE_KIND_CPU},
    {"user_annotation", "ProfilerStep#552", SPAN_KIND_STEP, LANE_KIND_CPU},
    {"user_annotation", "ProfilerStep#", SPAN_KIND_ANNOTATION, LANE_KIND_CPU},
    {"user_annotation", "ProfilerStep#99999999999999999999", SPAN_KIND_ANNOTATION,
     LANE_KIND_CPU},
    {"user_annotation", "Optimizer.step#SGD.step", SPAN_KIND_ANNOTATION, LANE_KIND_CPU},
    {"user_annotation", "gloo:all_reduce", SPAN_KIND_COLLECTIVE, LANE_KIND_CPU},
    {"user_annotation", "gloo:", SPAN_KIND_ANNOTATION, LANE_KIND_CPU},
    {"gpu_user_annotation", "ProfilerStep#552", SPAN_KIND_ANNOTATION, LANE_KIND_DEVICE},
    {"python_function", "nn.Module: Linear_0", SPAN_KIND_PYTHON, LANE_KIND_CPU},
    {"overhead", "CUPTI Overhead", SPAN_KIND_OVERHEAD, LANE_KIND_CPU},
    {"kernel", "void cutlass::Kernel<x>", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"Kernel", "volta_sgemm_128x64_nn", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"concurrent_kernel", "k", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"xpu_kernel", "k", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"hpu_op", "k", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"kernel", "hipblaslt_Cijk_Ailk", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"kernel", "hip_elementwise_kernel", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"kernel", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
     SPAN_KIND_COLLECTIVE, LANE_KIND_DEVICE},
    {"kernel", "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
     SPAN_KIND_COLLECTIVE, LANE_KIND_DEVICE},
    {"kernel", "void deep_ep::intranode::dispatch<8, 768>", SPAN_KIND_COLLECTIVE,
     LANE_KIND_DEVICE},
    {"kernel", "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16>",
     SPAN_KIND_COLLECTIVE, LANE_KIND_DEVICE},
    {"kernel", "MSCCLKernel_x", SPAN_KIND_COLLECTIVE, LANE_KIND_DEVICE},
    {"kernel", "oneccl_allreduce_small", SPAN_KIND_COLLECTIVE, LANE_KIND_DEVICE},
    {"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", SPAN_KIND_COPY, LANE_KIND_DEVICE},
    {"Memcpy", "Memcpy HtoD", SPAN_KIND_COPY, LANE_KIND_DEVICE},
    {"gpu_memset", "Memset (Device)", SPAN_KIND_SET, LANE_KIND_DEVICE},
    {"Memset", "Memset (Device)", SPAN_KIND_SET, LANE_KIND_DEVICE},
    {"cuda_runtime", "cudaLaunchKernel", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"cuda_runtime", "cudaMemcpyAsync", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"cuda_runtime", "cudaStreamWaitEvent", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"cuda_runtime", "cudaEventQuery", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"cuda_runtime", "cudaStreamSynchronize", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"cuda_runtime", "cudaDeviceSynchronize", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"Runtime", "cudaEventSynchronize", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"cuda_runtime", "hipDeviceSynchronize", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"cuda_runtime", "cudaMemcpy", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"cuda_runtime", "hipMemcpyWithStream", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"cuda_driver", "cuLaunchKernel", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"xpu_runtime", "urEnqueueKernelLaunch", SPAN_KIND_RUNTIME, LANE_KIND_CPU},
    {"privateuse1_runtime", "aclrtSynchronizeStream", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"mtia_runtime", "synchronizeStream", SPAN_KIND_SYNC, LANE_KIND_CPU},
    {"mtia_ccp_events", "dma_request", SPAN_KIND_COPY, LANE_KIND_DEVICE},
    {"mtia_ccp_events", "event_wait", SPAN_KIND_SYNC, LANE_KIND_DEVICE},
    {"mtia_ccp_events", "fc-dtype_Float", SPAN_KIND_KERNEL, LANE_KIND_DEVICE},
    {"cuda_sync", "Stream Sync", SPAN_KIND_SYNC, LANE_KIND_DEVICE},
};

static void each_category_and_name_has_its_kind_and_lane(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *x = &expectations[i];
        enum category c = classify_category(x->cat, strlen(x->cat));
        if (c == CATEGORY_UNKNOWN ||
            classify_span(c, x->name, strlen(x->name), false) != x->kind ||
            classify_lane(c) != x->lane)
            fail_msg("%s / %s", x->cat, x->name);
    }
}

static void a_named_collective_makes_any_kernel_one(void **state)
{
    (void)state;
    assert_int_equal(classify_span(CATEGORY_KERNEL, "k", 1, true), SPAN_KIND_COLLECTIVE);
}

static void arrows_containers_and_strangers_are_told_apart(void **state)
{
    (void)state;
    static const char *const arrows[] = {"ac2g", "fwdbwd", "async", "async_gpu",
                                         "async_cpu_to_gpu"};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(classify_category(arrows[i], strlen(arrows[i])), CATEGORY_FLOW);
    assert_int_equal(classify_category("Trace", 5), CATEGORY_CONTAINER);
    assert_int_equal(classify_category("backward-compute", 16), CATEGORY_UNKNOWN);
    assert_int_equal(classify_category("xpu_", 4), CATEGORY_UNKNOWN);
    assert_int_equal(classify_category("", 0), CATEGORY_UNKNOWN);
}

static void marks_of_training_steps_are_known_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum category category;
        enum step_method method;
        int64_t number;
    } cases[] = {
        {"Optimizer.step#AdamW.step", CATEGORY_ANNOTATION, STEP_METHOD_OPTIMIZER, -1},
        {"Optimizer.step#AdamW.step", CATEGORY_PYTHON, STEP_METHOD_NONE, -1},
        {"Optimizer.zero_grad#SGD.zero_grad", CATEGORY_ANNOTATION, STEP_METHOD_NONE, -1},
        {"[pl][profile]run_training_batch", CATEGORY_ANNOTATION, STEP_METHOD_LIGHTNING,
         -1},
        {"[pl][profile][Strategy]DDPStrategy.training_step", CATEGORY_ANNOTATION,
         STEP_METHOD_LIGHTNING, -1},
        {"[pl][profile][Strategy]DDPStrategy.backward", CATEGORY_ANNOTATION,
         STEP_METHOD_NONE, -1},
        {"transformers/trainer.py(3560): training_step", CATEGORY_PYTHON,
         STEP_METHOD_HUGGING_FACE, -1},
        {"megatron/training/training.py(745): train_step", CATEGORY_PYTHON,
         STEP_METHOD_MEGATRON, -1},
        {"iteration 12", CATEGORY_ANNOTATION, STEP_METHOD_MEGATRON, 12},
        {"iteration#7", CATEGORY_ANNOTATION, STEP_METHOD_MEGATRON, 7},
        {"iteration", CATEGORY_ANNOTATION, STEP_METHOD_NONE, -1},
        {"iteration of the loop 3", CATEGORY_ANNOTATION, STEP_METHOD_NONE, -1},
        {"ProfilerStep#3", CATEGORY_ANNOTATION, STEP_METHOD_NONE, -1}, /* a span STEP */
        {"", CATEGORY_ANNOTATION, STEP_METHOD_NONE, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number;
        assert_int_equal(classify_mark(&number, cases[i].category, cases[i].name,
                                       strlen(cases[i].name)),
                         cases[i].method);
        assert_int_equal(number, cases[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_category_and_name_has_its_kind_and_lane),
        cmocka_unit_test(a_named_collective_makes_any_kernel_one),
        cmocka_unit_test(arrows_containers_and_strangers_are_told_apart),
        cmocka_unit_test(marks_of_training_steps_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
