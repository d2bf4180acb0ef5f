/*
 * Every name that a generated trace holds, once. To add one: a line here.
 * S(VALUE, KIND, "name on NVIDIA", "name on AMD")
 */
#ifndef GAIT_TESTS_GEN_SPANS_H
#define GAIT_TESTS_GEN_SPANS_H

#include "gen_options.h"

#include <stddef.h>

enum gen_kind {
    KIND_OP,
    KIND_ANNOTATION, /* in 2021 an operator like any other */
    KIND_STEP,
    KIND_PYTHON,
    KIND_RUNTIME,
    KIND_SYNC, /* a call of the runtime that blocks */
    KIND_KERNEL,
    KIND_COLLECTIVE,
    KIND_COPY,
    KIND_SET,
    KIND_DEVICE_ANNOTATION,
    KIND_DEVICE_SYNC,
    KIND_MEMORY, /* an instant: no span */
    KIND_COUNT
};

#define SPAN_LIST(S)                                                                     \
    S(PROFILER_STEP, STEP, "ProfilerStep#", "ProfilerStep#")                             \
    S(MEMORY, MEMORY, "[memory]", "[memory]")                                            \
    S(LIGHTNING_BATCH, ANNOTATION, "[pl][profile]run_training_batch",                    \
      "[pl][profile]run_training_batch")                                                 \
    S(LIGHTNING_NEXT, ANNOTATION,                                                        \
      "[pl][profile][_TrainingEpochLoop].train_dataloader_next",                         \
      "[pl][profile][_TrainingEpochLoop].train_dataloader_next")                         \
    S(DATALOADER, ANNOTATION,                                                            \
      "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",                     \
      "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")                     \
    S(OPTIMIZER_STEP, ANNOTATION, "Optimizer.step#AdamW.step",                           \
      "Optimizer.step#AdamW.step")                                                       \
    S(ZERO_GRAD, ANNOTATION, "Optimizer.zero_grad#AdamW.zero_grad",                      \
      "Optimizer.zero_grad#AdamW.zero_grad")                                             \
    S(NCCL_MARK, ANNOTATION, "nccl:all_reduce", "nccl:all_reduce")                       \
    S(PY_MAIN, PYTHON, "train.py(212): main", "train.py(212): main")                     \
    S(PY_STEP, PYTHON, "train.py(88): train_step", "train.py(88): train_step")           \
    S(PY_FORWARD, PYTHON, "torch/nn/modules/module.py(1501): _call_impl",                \
      "torch/nn/modules/module.py(1501): _call_impl")                                    \
    S(PY_BLOCK, PYTHON, "nn.Module: Block_", "nn.Module: Block_")                        \
    S(PY_LINEAR, PYTHON, "<built-in function linear>", "<built-in function linear>")     \
    S(PY_BACKWARD, PYTHON,                                                               \
      "<built-in method run_backward of torch._C._EngineBase object at 0x7f2b3c0d1e20>", \
      "<built-in method run_backward of torch._C._EngineBase object at 0x7f2b3c0d1e20>") \
    S(ZEROS, OP, "aten::zeros", "aten::zeros")                                           \
    S(EMPTY, OP, "aten::empty", "aten::empty")                                           \
    S(ZERO, OP, "aten::zero_", "aten::zero_")                                            \
    S(FILL, OP, "aten::fill_", "aten::fill_")                                            \
    S(STACK, OP, "aten::stack", "aten::stack")                                           \
    S(CAT, OP, "aten::cat", "aten::cat")                                                 \
    S(TO, OP, "aten::to", "aten::to")                                                    \
    S(TO_COPY, OP, "aten::_to_copy", "aten::_to_copy")                                   \
    S(COPY, OP, "aten::copy_", "aten::copy_")                                            \
    S(LINEAR, OP, "aten::linear", "aten::linear")                                        \
    S(T, OP, "aten::t", "aten::t")                                                       \
    S(TRANSPOSE, OP, "aten::transpose", "aten::transpose")                               \
    S(AS_STRIDED, OP, "aten::as_strided", "aten::as_strided")                            \
    S(ADDMM, OP, "aten::addmm", "aten::addmm")                                           \
    S(MM, OP, "aten::mm", "aten::mm")                                                    \
    S(GELU, OP, "aten::gelu", "aten::gelu")                                              \
    S(LAYER_NORM, OP, "aten::layer_norm", "aten::layer_norm")                            \
    S(NATIVE_LAYER_NORM, OP, "aten::native_layer_norm", "aten::native_layer_norm")       \
    S(ATTENTION, OP, "aten::scaled_dot_product_attention",                               \
      "aten::scaled_dot_product_attention")                                              \
    S(FLASH, OP, "aten::_flash_attention_forward", "aten::_flash_attention_forward")     \
    S(SUM, OP, "aten::sum", "aten::sum")                                                 \
    S(ITEM, OP, "aten::item", "aten::item")                                              \
    S(LOCAL_SCALAR, OP, "aten::_local_scalar_dense", "aten::_local_scalar_dense")        \
    S(EVALUATE_ADDMM, OP, "autograd::engine::evaluate_function: AddmmBackward0",         \
      "autograd::engine::evaluate_function: AddmmBackward0")                             \
    S(ADDMM_BACKWARD, OP, "AddmmBackward0", "AddmmBackward0")                            \
    S(EVALUATE_GELU, OP, "autograd::engine::evaluate_function: GeluBackward0",           \
      "autograd::engine::evaluate_function: GeluBackward0")                              \
    S(GELU_BACKWARD, OP, "GeluBackward0", "GeluBackward0")                               \
    S(ATEN_GELU_BACKWARD, OP, "aten::gelu_backward", "aten::gelu_backward")              \
    S(ACCUMULATE, OP, "torch::autograd::AccumulateGrad",                                 \
      "torch::autograd::AccumulateGrad")                                                 \
    S(ALLREDUCE_OP, OP, "c10d::allreduce_", "c10d::allreduce_")                          \
    S(PARAM_COMMS, OP, "record_param_comms", "record_param_comms")                       \
    S(FOREACH_NORM, OP, "aten::_foreach_norm", "aten::_foreach_norm")                    \
    S(FUSED_ADAM, OP, "aten::_fused_adamw_", "aten::_fused_adamw_")                      \
    S(LAUNCH, RUNTIME, "cudaLaunchKernel", "hipLaunchKernel")                            \
    S(LAUNCH_EX, RUNTIME, "cudaLaunchKernelExC", "hipExtModuleLaunchKernel")             \
    S(GRAPH_LAUNCH, RUNTIME, "cudaGraphLaunch", "hipGraphLaunch")                        \
    S(MEMCPY_ASYNC, RUNTIME, "cudaMemcpyAsync", "hipMemcpyAsync")                        \
    S(MEMSET_ASYNC, RUNTIME, "cudaMemsetAsync", "hipMemsetAsync")                        \
    S(IS_CAPTURING, RUNTIME, "cudaStreamIsCapturing", "hipStreamIsCapturing")            \
    S(STREAM_SYNC, SYNC, "cudaStreamSynchronize", "hipStreamSynchronize")                \
    S(DEVICE_SYNC, SYNC, "cudaDeviceSynchronize", "hipDeviceSynchronize")                \
    S(GEMM, KERNEL, "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",       \
      "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x128_MI16x16x1_SN_LDSB1")     \
    S(HEAD_GEMM, KERNEL, "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn",  \
      "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI32x32x8x1_SE_1LDSB0")                        \
    S(GELU_KERNEL, KERNEL,                                                               \
      "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl" \
      "(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}, "                  \
      "at::detail::Array<char*, 2> "                                                     \
      ">(int, at::native::GeluType, at::detail::Array<char*, 2>)",                       \
      "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl" \
      ", std::array<char*, 2ul> >(int, std::array<char*, 2ul>)")                         \
    S(NORM_KERNEL, KERNEL,                                                               \
      "void at::native::(anonymous "                                                     \
      "namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"                   \
      "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*)",  \
      "void at::native::(anonymous "                                                     \
      "namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>")                  \
    S(FLASH_KERNEL, KERNEL,                                                              \
      "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, " \
      "128, 128, 4, "                                                                    \
      "false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)",           \
      "attn_fwd.kd")                                                                     \
    S(GRAD_GEMM, KERNEL,                                                                 \
      "sm80_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_stage4",              \
      "Cijk_Ailk_Bjlk_BBS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0")                        \
    S(GELU_GRAD_KERNEL, KERNEL,                                                          \
      "void at::native::vectorized_elementwise_kernel<4, "                               \
      "at::native::GeluBackwardCUDAKernelImpl>",                                         \
      "void at::native::vectorized_elementwise_kernel<4, "                               \
      "at::native::GeluBackwardCUDAKernelImpl>")                                         \
    S(REDUCE_KERNEL, KERNEL,                                                             \
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "              \
      "at::native::NormTwoOps<float> > >",                                               \
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "              \
      "at::native::NormTwoOps<float> > >")                                               \
    S(ADAM_KERNEL, KERNEL,                                                               \
      "void at::native::(anonymous "                                                     \
      "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "                    \
      "namespace)::FusedOptimizerTensorListMetadata<4>, "                                \
      "at::native::FusedAdamMathFunctor<float, 4> >",                                    \
      "void at::native::(anonymous "                                                     \
      "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "                    \
      "namespace)::FusedOptimizerTensorListMetadata<4>, "                                \
      "at::native::FusedAdamMathFunctor<float, 4> >")                                    \
    S(FILL_KERNEL, KERNEL,                                                               \
      "void at::native::vectorized_elementwise_kernel<4, "                               \
      "at::native::FillFunctor<float> >",                                                \
      "void at::native::vectorized_elementwise_kernel<4, "                               \
      "at::native::FillFunctor<float> >")                                                \
    S(ALLREDUCE_KERNEL, COLLECTIVE,                                                      \
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, "           \
      "ncclWork*)",                                                                      \
      "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)")                       \
    S(COPY_PAGEABLE, COPY, "Memcpy HtoD (Pageable -> Device)",                           \
      "Memcpy HtoD (Host -> Device)")                                                    \
    S(COPY_PINNED, COPY, "Memcpy HtoD (Pinned -> Device)",                               \
      "Memcpy HtoD (Host -> Device)")                                                    \
    S(COPY_BACK, COPY, "Memcpy DtoH (Device -> Pageable)",                               \
      "Memcpy DtoH (Device -> Host)")                                                    \
    S(MEMSET, SET, "Memset (Device)", "Memset (Device)")                                 \
    S(OPTIMIZER_ON_DEVICE, DEVICE_ANNOTATION, "Optimizer.step#AdamW.step",               \
      "Optimizer.step#AdamW.step")                                                       \
    S(NCCL_ON_DEVICE, DEVICE_ANNOTATION, "nccl:all_reduce", "nccl:all_reduce")           \
    S(CONTEXT_SYNC, DEVICE_SYNC, "Context Sync", "Context Sync")

#define SPAN_VALUE(value, kind, nvidia, amd) SPAN_##value,
enum gen_span { SPAN_LIST(SPAN_VALUE) SPAN_COUNT };

struct span_text {
    const char *s;
    size_t len;
};

enum gen_kind gen_span_kind(enum gen_span span);
/* The name, without the number that some have behind it. */
const struct span_text *gen_span_text(enum gen_span span, enum vendor vendor);
/* What Gait calls the kind, and the place: "cpu" or "device". */
const char *gen_kind_text(const struct gen_options *o, enum gen_kind kind);
const char *gen_kind_place(enum gen_kind kind);
/* Does it count as work of a host thread? */
bool gen_kind_is_host_work(const struct gen_options *o, enum gen_kind kind);

#endif
