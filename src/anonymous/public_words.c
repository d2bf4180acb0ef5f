#include "anonymous/public_words.h"

#include "run/op_list.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* Separated by blanks, in lower case. */
static const char parts[] =
    " abc accumulate adafactor adagrad adam adaptive add addmm aggressive all alloc"
    " allocator amp amsgrad anonymous any aot api append arange array async at"
    " attention attn auto autocast autograd autotune available avg avgpool b backend"
    " backward bad bag barrier batch batches batchnorm bce begin bf bfloat bias block"
    " bmm bn bool bounds bridge broadcast bucket buffer buffers built builtin bulk bwd"
    " byte bytecode bytes c cache call capsule cat cell char chars check checkpoint"
    " chunk clear clip clone coalesced collate collect collective comm comms compile"
    " compiled compiler complex const container contiguous conv conv1d conv2d conv3d"
    " copy cosine count counter cpu cross ctc cublas cuda cudagraph cudnn custom d"
    " data dataloader dataset ddp decoder decrement default del dense detach device"
    " dict dir dictionary dim disable dispatch dispatcher dist distributed div dma dot"
    " double dropout dtod dtoh dtype dynamo e e4m3fn e5m2 each eager elementwise elu"
    " embedding empty enable enabled encode encoder enqueue entropy enumerate epoch"
    " eval evaluate event exchange execution exp expand eye false fc feed fetch"
    " fetcher fill first flash flatten float flow foreach fork forward free from"
    " frozenset fsdp function functions fused fwd fx g gather gaussian gelu gemm gemv"
    " get getattr gil global gloo gpu grad gradient gradients grads graph group"
    " grouped groupnorm gru guard h half hardtanh hasattr hash head heads hinge hip"
    " hook host htod huber i id identity in increment index init inline input inputs"
    " instancecheck instancenorm int isinstance item items iter iteration iterator j"
    " jit join k kernel key keys kl l1 l2 lambda last launch layer layernorm layers"
    " leaky len li linear list ln loader local log logits logsoftmax long lookup loop"
    " loss lower lr lstm m main make map margin mask masked math matmul max maxpool"
    " mean mem memcpy memory memset meta metadata method min mix mlp mm mode model"
    " module modules momentum monitor mp ms mse mul multi multihead n named namespace"
    " nccl nesterov nesting network next nll nn non none norm ns null num numbered"
    " numel o object of on once one ones op operator opt optim optimizer out output"
    " outputs overhead p pack pad pageable parallel param parameter params peer perf"
    " pg pid pin pinned pipe pipeline pixel poisson pool pop post pow pre prefetch"
    " pregraph process processing product prof profiler proj projection prologue pt"
    " ptr py python pytorch q qkv query queue rand random rank ranks read record recv"
    " reduce reducer reduction region register relu relu6 replica request reset"
    " reshape rms rmsnorm rnn rope rotary row rows rsqrt run runtime s sampler save"
    " scalar scale scaled scaler scatter schedule scheduler sdp sdpa self send seq"
    " sequence sequential set setup sgd shakespeare shape shard short shuffle sigmoid"
    " signal silu similarity single sink size slice smooth softmax softmaxes sort"
    " sparse split sqrt stack stage start state static stats std step steps stop"
    " storage store str stream strided struct sub subclass submission sum swish sync"
    " synchronize t tanh template tensor tensors test tf thread threads time to token"
    " tokens top torch torchscript trace tracing train trainer training transformer"
    " transpose triplet triton true tuple type uint ul ulong unbind unfold uniform"
    " unpack unsigned unsqueeze update upper upsample usage user v validate validation"
    " value values vectorized version view void w wait warmup warn warp watchdog"
    " weight weights where with work worker workers world wrapper write x y z zero"
    " zeros"
    " ";

static const char namespaces[] =
    " at aten autograd c10 c10d c10d_functional _c10d_functional cub cuda cudnn cute "
    "cutlass"
    " detail fbgemm flash flash_attn std thrust torch torchvision torchaudio triton prim"
    " prims profiler quantized inductor internal native nccl onednn mkldnn xformers"
    " rocprim hipcub ck pytorch_flash fmha transformer_engine __gnu_cxx ";

static const char packages[] =
    " torch torchgen functorch triton numpy torchvision torchaudio torchtext transformers"
    " accelerate lightning pytorch_lightning deepspeed xformers apex tqdm PIL pandas "
    "scipy"
    " diffusers datasets tokenizers huggingface_hub importlib multiprocessing threading "
    "asyncio "
    "json"
    " collections concurrent logging unittest gait_hook ";

static const char folders[] = " lib lib64 usr local bin site-packages dist-packages ";

static const char functions[] =
    " forward backward step zero_grad main __call__ __next__ __iter__ __init__ "
    "__getitem__"
    " __getitems__ __len__ __enter__ __exit__ <module> <lambda> <listcomp> <genexpr>"
    " <dictcomp> <setcomp> closure run fit train evaluate validate validation"
    " save_checkpoint ";

/* Kernels of libraries, calls of drivers. */
static const char *const beginnings[] = {
    "ampere_",
    "volta_",
    "turing_",
    "hopper_",
    "sm70_",
    "sm75_",
    "sm80_",
    "sm86_",
    "sm89_",
    "sm90_",
    "sm100_",
    "cutlass",
    "cudnn",
    "cublas",
    "nccl",
    "rccl",
    "triton_",
    "cunn_",
    "nvjet",
    "Cijk_",
    "fmha_",
    "flash_",
    "Memcpy",
    "Memset",
    "cuda",
    "hip",
    "cuLaunch",
    "cuStream",
    "cuEvent",
    "cuMem",
    "_ZN2at",
    "_ZN7cutlass",
    "_ZN3c10",
    "_ZN3cub",
    "_ZN5flash",
    "gemmk1_",
    "gemv2",
    "ProfilerStep",
    "cask_",
    "splitKreduce",
    "wgrad_alg",
    "dgrad_",
    "scudnn",
    "igemm_fwd",
    "igemm_bwd",
    "igemm_wrw",
    "_ZN2ck",
    "batched_transpose_",
    "Im2d2Col",
    "im2col_",
    "softmax_warp_",
    "elementwise_kernel",
    "gemvNSP",
    "gemvx",
    "gemmSN",
    "dot_kernel",
    "reduce_1Block",
    "SubTensorOp",
    "implicit_convolve",
    "winograd",
    "tensorTransformGeneric",
    "naive_conv",
    "nchwToNhwc",
    "nhwcToNchw",
    "bn_fw",
    "bn_bw",
    "_ZN10cask",
    "_ZN8cublasLt",
    "CatArrayBatchedCopy",
    "indexSelect",
    "Cublas",
    "rocblas",
    "miopen",
    "MIOpen",
};

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

const char *telling_word(size_t i)
{
    return telling[i];
}

static bool listed(const char *list, const char *s, size_t len)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (!strncasecmp(at + 1, s, len) && at[1 + len] == ' ')
            return true;
    return false;
}

static bool listed_exactly(const char *list, const char *s, size_t len)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (!strncmp(at + 1, s, len) && at[1 + len] == ' ')
            return true;
    return false;
}

/* Where the part of an identifier that begins at s ends. */
static size_t part_length(const char *s, size_t len)
{
    size_t n = 1;
    if (isupper((unsigned char)s[0])) /* DDPSink: DDP, Sink */
        while (n < len && isupper((unsigned char)s[n]) &&
               !(n + 1 < len && islower((unsigned char)s[n + 1])))
            n++;
    while (n < len && islower((unsigned char)s[n]))
        n++;
    return n;
}

static bool is_operator(const char *s, size_t len)
{
#define OPERATOR(op, family, rule, parameter) op,
    static const char *const all[] = {OP_LIST(OPERATOR)};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const char *name = strstr(all[i], "::");
        name = name ? name + 2 : all[i];
        if (strlen(name) == len && !memcmp(name, s, len))
            return true;
    }
    return false;
}

/* AddmmBackward0: PyTorch's own nodes are numbered, a user's are not. */
static bool is_backward_node(const char *s, size_t len)
{
    static const char word[] = "Backward";
    size_t end = len;
    while (end && isdigit((unsigned char)s[end - 1]))
        end--;
    return end < len && end >= sizeof word - 1 &&
           !memcmp(s + end - (sizeof word - 1), word, sizeof word - 1);
}

static bool begins_publicly(const char *s, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(beginnings); i++)
        if (len >= strlen(beginnings[i]) &&
            !strncmp(s, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

bool public_identifier(const char *s, size_t len)
{
    if (begins_publicly(s, len))
        return true;
    if (is_backward_node(s, len) || is_operator(s, len))
        return true;
    for (size_t at = 0; at < len;) {
        if (!isalpha((unsigned char)s[at])) {
            if (s[at] != '_' && !isdigit((unsigned char)s[at]))
                return false; /* no ASCII */
            at++;
            continue;
        }
        size_t n = part_length(s + at, len - at);
        if (!listed(parts, s + at, n))
            return false;
        at += n;
    }
    return true;
}

bool public_namespace(const char *s, size_t len)
{
    return listed_exactly(namespaces, s, len) || begins_publicly(s, len);
}

bool public_package(const char *s, size_t len)
{
    return listed_exactly(packages, s, len);
}

bool public_folder(const char *s, size_t len)
{
    return listed_exactly(folders, s, len) || (len > 6 && !strncmp(s, "python", 6) &&
                                               strspn(s + 6, "0123456789.") >= len - 6);
}

bool public_function(const char *s, size_t len)
{
    return listed_exactly(functions, s, len);
}
