/*
 * Libraries that take no training steps of PyTorch by themselves: what a program does not
 * do stays undone whatever they do. All others that cannot be read may hold its trainer.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_match.h"

#include <string.h>

static bool names_root(const char *list, const char *module)
{
    size_t n = strcspn(module, ".");
    while (*list) {
        size_t len = strcspn(list, " ");
        if (len == n && !strncmp(list, module, n))
            return n > 0;
        list += len + (list[len] == ' ');
    }
    return false;
}

bool source_library_is_passive(const char *module)
{
    static const char of_python[] =
        "__future__ abc argparse array ast asyncio atexit base64 bisect builtins "
        "bz2 cProfile calendar cmath cmd codecs collections concurrent "
        "configparser contextlib contextvars copy copyreg csv ctypes dataclasses "
        "datetime decimal difflib dis distutils doctest email enum errno "
        "faulthandler fnmatch fractions functools gc getopt getpass glob gzip "
        "hashlib heapq html http imp importlib inspect io itertools json keyword "
        "linecache locale logging lzma math mmap multiprocessing numbers operator "
        "optparse os pathlib pdb pickle pkgutil platform pprint profile pstats "
        "queue random re readline resource sched secrets select shlex shutil "
        "signal site socket sqlite3 ssl stat statistics string struct subprocess "
        "sys sysconfig tarfile tempfile textwrap threading time timeit tokenize "
        "traceback tracemalloc types typing unicodedata unittest urllib uuid "
        "warnings weakref webbrowser xml zipfile zlib ";
    static const char others[] =
        "torch torchvision torchaudio torchtext torchdata torchmetrics "
        "torchsummary torchinfo torch_geometric torch_scatter torch_sparse "
        "torch_cluster torch_xla apex numpy scipy pandas sklearn matplotlib "
        "mpl_toolkits seaborn plotly bokeh transformers accelerate datasets "
        "evaluate tokenizers sentencepiece tiktoken peft bitsandbytes safetensors "
        "huggingface_hub diffusers einops einx opt_einsum timm kornia lpips "
        "pytorch_msssim segmentation_models_pytorch xformers flash_attn triton "
        "numba tensorflow keras jax jaxlib onnx onnxruntime h5py lmdb zarr pyarrow "
        "joblib dill cloudpickle filelock fsspec boto3 PIL cv2 skimage "
        "albumentations imageio imgaug pycocotools nibabel SimpleITK pydicom "
        "librosa soundfile pydub resampy pesq nltk spacy gensim jieba ftfy regex "
        "inflect unidecode editdistance Levenshtein sacrebleu sacremoses "
        "rouge_score rouge bs4 requests yaml ruamel simplejson toml omegaconf "
        "hydra ml_collections easydict addict yacs absl click fire tyro "
        "jsonargparse configargparse typing_extensions beartype jaxtyping "
        "tensorboard tensorboardX tensorboard_logger wandb mlflow visdom neptune "
        "comet_ml tqdm rich tabulate termcolor colorama prettytable loguru logzero "
        "psutil pynvml GPUtil gym gymnasium procgen minigrid envpool dm_control "
        "mujoco_py atari_py networkx dgl ogb rdkit faiss thop fvcore six attr "
        "IPython pytest parameterized blobfile certifi packaging setuptools "
        "pkg_resources ";
    return names_root(of_python, module) || names_root(others, module);
}
#endif
