/* Private to public_words.c: the lists. To make a word public: add it here; whatever
 * stands here can stand in an anonymous run. */
#ifndef GAIT_ANONYMOUS_PUBLIC_LISTS_H
#define GAIT_ANONYMOUS_PUBLIC_LISTS_H

#include <stddef.h>

/* Separated by blanks, in lower case. */
static const char parts[] =
    " a abc accumulate adafactor adagrad adam adaptive add addmm aggressive all alloc"
    " allocator amp amsgrad an and anonymous another any aot api append arange are"
    " array as async at attention attn auto autocast autograd autotune available avg"
    " avgpool b backend backward bad bag barrier batch batches batchnorm bce be"
    " because before began begin below bf bfloat bias block bmm bn bool bounds bridge"
    " broadcast bucket buffer buffers built builtin bulk but bwd by byte bytecode"
    " bytes c cache call capsule cat cell char chars check checkpoint chunk class"
    " clear clip clone coalesced collate collect collective comm comms compile"
    " compiled compiler complex const container contiguous conv conv1d conv2d conv3d"
    " copy cosine count counter cpu cross ctc cublas cuda cudagraph cudnn custom d"
    " data dataloader dataset ddp decoder decrement default del dense detach device"
    " dict dictionary dim dir disable dispatch dispatcher dist distributed div dma dot"
    " double dropout dtod dtoh dtype dynamo e e4m3fn e5m2 each eager elementwise elu"
    " embedding empty enable enabled encode encoder enqueue entropy enumerate epoch"
    " eval evaluate event exchange execution exp expand eye false fc feed fetch"
    " fetcher fill first flash flatten float flow for foreach fork forward free from"
    " frozenset fsdp function functions fused fwd fx g gather gaussian gelu gemm gemv"
    " get getattr gil global gloo gpu grad gradient gradients grads graph group"
    " grouped groupnorm gru guard h had half hardtanh has hasattr hash have head heads"
    " hinge hip hook host htod huber i id identity in increment index init inline"
    " input inputs instancecheck instancenorm int is isinstance it item items iter"
    " iteration iterator its j jit join k kernel key keys kl l1 l2 lambda last launch"
    " layer layernorm layers leaky left len less li linear list ln loader local log"
    " logits logsoftmax long lookup loop loss lower lr lstm m main make map margin"
    " mask masked math matmul max maxpool mean mem memcpy memory memset meta metadata"
    " method min mix mlp mm mode model module modules momentum monitor more mp ms mse"
    " mul multi multihead n named namespace nccl nesterov nesting network next nll nn"
    " no non none norm not ns null num numbered numel o object of on once one ones"
    " only op operator opt optim optimizer or other out output outputs over overhead p"
    " pack pad pageable parallel param parameter params peer per perf pg pid pin"
    " pinned pipe pipeline pixel poisson pool pop post pow pre prefetch pregraph"
    " process processing product prof profiler proj projection prologue pt ptr py"
    " python pytorch q qkv query queue rand random rank ranks read record recv reduce"
    " reducer reduction region register relu relu6 replica request reset reshape rms"
    " rmsnorm rnn rope rotary row rows rsqrt run runtime s sampler save scalar scale"
    " scaled scaler scatter schedule scheduler sdp sdpa self send seq sequence"
    " sequential set setup several sgd shakespeare shape shard short shuffle sigmoid"
    " signal silu similarity single sink size slice smooth so softmax softmaxes some"
    " sort sparse split sqrt stack stage start state static stats std step steps still"
    " stop storage store str stream strided struct sub subclass submission sum swish"
    " sync synchronize t tanh template tensor tensors test tf than that the their then"
    " there they this thread threads time to token tokens too top torch torchscript"
    " trace tracing train trainer training transformer transpose triplet triton true"
    " tuple type uint ul ulong unbind unfold uniform unpack unsigned unsqueeze update"
    " upper upsample usage user v validate validation value values vectorized version"
    " view void w wait warmup warn warp was watchdog weight weights were what when"
    " where which who why with without work worker workers world wrapper write x y z"
    " zero zeros"
    " ";

static const char namespaces[] =
    " at aten autograd c10 c10d c10d_functional _c10d_functional cub cuda cudnn cute"
    " cutlass detail fbgemm flash flash_attn std thrust torch torchvision torchaudio"
    " triton prim prims profiler quantized inductor internal native nccl onednn"
    " mkldnn xformers rocprim hipcub ck pytorch_flash fmha transformer_engine"
    " __gnu_cxx"
    " ";

/* Known where site-packages or dist-packages is before them. */
static const char packages[] =
    " torch torchgen functorch triton numpy torchvision torchaudio torchtext"
    " transformers accelerate lightning pytorch_lightning deepspeed xformers apex"
    " tqdm PIL pandas scipy diffusers datasets tokenizers huggingface_hub gait_hook"
    " ";

/* Known at the beginning of a path: PyTorch's profiler leaves out what is before them. */
static const char roots[] = " torch torchgen functorch triton ";

/* Known behind lib/pythonX.Y. */
static const char standard[] =
    " importlib multiprocessing asyncio json collections concurrent logging unittest"
    " ctypes email encodings http urllib"
    " ";

/* torch and gait_hook: name_sort() knows frames of them. */
static const char folders[] =
    " lib lib64 usr local bin site-packages dist-packages torch gait_hook ";

static const char functions[] =
    " forward backward step zero_grad main __call__ __next__ __iter__ __init__"
    " __getitem__ __getitems__ __len__ __enter__ __exit__ <module> <lambda>"
    " <listcomp> <genexpr> <dictcomp> <setcomp> closure run fit train evaluate"
    " validate validation save_checkpoint"
    " ";

/* Kernels of libraries, calls of drivers. */
static const char beginnings[] =
    " ampere_ volta_ turing_ hopper_ sm70_ sm75_ sm80_ sm86_ sm89_ sm90_ sm100_"
    " cutlass cudnn cublas cunn_ nvjet Cijk_ Memcpy Memset _ZN2at _ZN7cutlass _ZN3c10"
    " _ZN3cub _ZN5flash gemmk1_ gemv2 ProfilerStep cask_ splitKreduce wgrad_alg dgrad_"
    " scudnn igemm_fwd igemm_bwd igemm_wrw _ZN2ck batched_transpose_ Im2d2Col im2col_"
    " softmax_warp_ elementwise_kernel gemvNSP gemvx gemmSN dot_kernel reduce_1Block"
    " SubTensorOp implicit_convolve tensorTransformGeneric naive_conv nchwToNhwc"
    " nhwcToNchw bn_fw bn_bw _ZN10cask _ZN8cublasLt CatArrayBatchedCopy indexSelect"
    " rocblas miopen MIOpen triton_poi_ triton_red_ triton_per_ triton_tem_"
    " triton_for_ triton_mm ncclKernel ncclDevKernel ncclDev rcclKernel flash_fwd"
    " flash_bwd fmha_cutlass fmha_bwd fmha_fwd winograd_nonfused"
    " ";

/* Calls of drivers, where a capital follows and all parts are public: cudaLaunchKernel. */
static const char drivers[] = " cuda cu hip ";

static const char driver_parts[] =
    " access acquire active address advise algo allocate allow arrays attach attribute"
    " attributes bind blas blocks bound callback can capability capture capturing"
    " carveout cluster clusters config cooperative create ctx cub current destroy"
    " devices dnn driver dto dtoa enter error ex exec export external file finalize"
    " flags flush func graphics handle hto htoa import info instantiate interprocess"
    " ipc leave library limit link load locked lt malloc managed map mapped mipmapped"
    " multiprocessor name node nodes occupancy open option options ordinal peek"
    " pitch pointer potential primary priority proc properties range ready release"
    " reserve resource retain semaphore semaphores shared status string surface symbol"
    " texture total trim unload unmap unregister valid"
    " ";

/* Behind std:: */
static const char standard_cpp[] =
    " add_const add_pointer basic_string bind bool_constant char_traits conditional"
    " conditional_t decay declval deque divides enable_if enable_if_t equal_to"
    " false_type greater greater_equal initializer_list int16_t int32_t int64_t int8_t"
    " integer_sequence integral_constant invoke is_integral is_same less_equal"
    " make_index_sequence minus modulus move multiplies negate not_equal_to nullopt"
    " nullptr_t numeric_limits optional pair plus ptrdiff_t ratio ref remove_cv"
    " remove_reference shared_ptr size_t string string_view swap true_type uint16_t"
    " uint32_t uint64_t uint8_t unique_ptr unordered_map unordered_set variant vector"
    " __cxx11"
    " ";

static const char *const telling[] = {
    "collate",
    "evaluate",
    "validate",
    "validation",
    "save_checkpoint",
    "dataloader_next",
    "attention",
    "attn_fwd",
    "attn_bwd",
    "softmax",
    "rmsnorm",
    "layernorm",
    "batchnorm",
    "norm",
    "sgemm",
    "gemm",
    "gemv",
    "matmul",
    "conv",
    "adam",
    "sgd",
    "foreach",
    "optimizer",
    "dropout",
    "rotary",
    "elementwise",
    "pointwise",
    "reduc",
    "transpose",
    "permute",
    "gather",
    "scatter",
    "index",
    "copy",
    "concat",
    "topk",
    "sort",
    "scan",
    "fill",
    "pool",
    "fft",
    "bf16",
    "fp16",
    "backward",
    "forward",
    NULL,
};

#endif
