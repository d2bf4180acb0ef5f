"""Errors against float64, pooled over draws: what exactness.py judges.

The error of a parameter is that of all its numbers in all draws: sqrt(sum |x - truth|^2 / sum |truth|^2).
"""
import math
import shutil
from dataclasses import dataclass, replace

import torch

from exactness_cases import STEPS, TORCH_EPSILON
from oracle_models import build, fill, random_tokens, save_tokens, to_float64
from product import Failed, read_step
from torch_training import Batches, backward, difference, many_steps, set_values, step_one, values

RATIO_LIMIT = 1.5
EXCUSED_BELOW = {"f32": 1e-6, "bf16": 0.0}  # an error this small is as good as any
ERROR_FLOOR = 2.0 ** -24  # nobody is asked to be better than f32's rounding
DECIDED_FROM = 1e-3  # of the root mean square of a parameter's gradient
DOUBTFUL_BELOW, ZERO_BELOW = 1e-5, 1e-12  # of the same: f32 may get the sign wrong; the gradient is zero in truth
ATTEMPTS = 1000
GRADIENT = "gradient"


def moves(epsilon):
    tail = " eps 1e-8" if epsilon == TORCH_EPSILON else ""
    return f"move 1{tail}", f"move {STEPS}{tail}"


@dataclass(frozen=True)
class Start:
    """Weights to begin from: random ones, or the product's."""
    seed: int
    weights: dict = None  # name -> values


@dataclass
class Draw:
    start: Start
    folder: str  # of its model and data
    init_from: str
    tokens: object
    truth: dict  # quantity -> name -> values
    weight: dict  # quantity -> name -> 0 or 1 for each number, or None: all count
    torch_error2: dict  # (precision, accumulation, quantity) -> name -> squared error


def model_of(case, start, attention=None):
    model = fill(build(case.shape, attention), case.shape, start.seed, case.std)
    if start.weights:
        set_values(model, start.weights)
    return model


def batches_of(case, tokens, accumulation):
    return Batches(tokens, case.rows // accumulation, case.shape.context, accumulation)


def epsilons(case, precision, variant=None):
    """bf16 is compared with the smooth optimizer alone: exactness.py says why. The variants share one optimizer: with
    the usual epsilon only the first is compared."""
    also = case.default_epsilon and precision != "bf16" and variant in (None, case.variants[0])
    return [case.optimizer.epsilon] + [TORCH_EPSILON] * also


def torch_results(case, start, tokens, precision, epsilon, accumulation=1, attention=None):
    """quantity -> name -> values, computed by transformers."""
    o, one, many = replace(case.optimizer, epsilon=epsilon), *moves(epsilon)
    batches = batches_of(case, tokens, accumulation)
    prepare = to_float64 if precision == "f64" else lambda model: model
    out = {}
    out[GRADIENT], out[one] = step_one(prepare(model_of(case, start, attention)), batches, o, precision)
    out[many] = many_steps(prepare(model_of(case, start, attention)), batches, STEPS, o, precision)
    return out


def first_gradients(case, start, tokens):
    """Each number's first gradient that is not zero, in float64: a row of an embedding has none until its token
    occurs, and what Adam does with the first one depends on its sign alone. None where f32 may get a sign wrong: one
    step the wrong way, and all gradients after it differ."""
    model, batches = to_float64(model_of(case, start)), batches_of(case, tokens, 1)
    backward(model, batches, 0, "f64")
    first = values(model, lambda p: p.grad)
    if doubtful(first):
        return None

    def watch(gradients):
        for n, g in gradients.items():
            first[n] = first[n].where(first[n] != 0, g)
    many_steps(model, batches, STEPS, case.optimizer, "f64", watch)
    return None if doubtful(first) else first


def relative(g):
    return g.abs() / g.pow(2).mean().sqrt()


def doubtful(first):
    """Whether f32 may get the sign of some number wrong."""
    return any(((relative(g) < DOUBTFUL_BELOW) & (relative(g) > ZERO_BELOW)).any() for g in first.values())


def decided(g):
    """1 where the sign of a gradient is beyond the doubts of f32, and in rows that have none at all."""
    sure = relative(g) >= DECIDED_FROM
    return (sure | (g == 0) if g.dim() > 1 else sure & (g != 0)).double()


def error2(result, truth, weight):
    """name -> squared error; a parameter that is missing, extra or of another shape is infinitely wrong."""
    out = {n: math.inf for n in result.keys() - truth.keys()}
    for n, t in truth.items():
        if n not in result or result[n].shape != t.shape:
            out[n] = math.inf
            continue
        d = result[n].double() - t
        out[n] = (d if weight is None else d * weight[n]).pow(2).sum().item()
    return out


def new_tokens(case, seed):
    return random_tokens(case.shape, STEPS * case.rows * case.shape.context + 1, seed + 1)


def product_start(product, case, folder, seed):
    """Where weights come from that no Hugging Face directory can describe: the product's own first steps. The start,
    and the checkpoint."""
    s, out, steps = case.shape, f"{folder}/start", 10
    save_tokens(f"{out}/data", new_tokens(case, seed), s.vocab)
    product.train(out, dict(
        dataset=f"{out}/data", model=s.family, layers=s.layers, heads=s.heads, width=s.width, context=s.context,
        bias=s.bias, seed=seed, batch_size=case.rows, steps=steps, learning_rate=3e-3, min_learning_rate=0.0,
        schedule="constant", warmup_steps=0, threads=1, log_interval=1, eval_interval=0, eval_batches=1,
        checkpoint_dir=f"{out}/steps", checkpoint_interval=steps, resume="never"))
    return Start(seed, read_step(f"{out}/steps", steps, "model")), f"{out}/steps/step-{steps:08d}"


def random_start(case, folder, seed):
    start = Start(seed)
    model_of(case, start).save_pretrained(f"{folder}/hf")
    return start, f"{folder}/hf"


def choose_tokens(case, start, seed):
    """Tokens, the weights of numbers and a seed to go on with; truth alone decides which tokens will do."""
    for seed in range(seed, seed + 2 * ATTEMPTS, 2):
        tokens = new_tokens(case, seed)
        if not case.default_epsilon:
            return tokens, {}, seed
        first = first_gradients(case, start, tokens)
        if first:
            mask = {n: decided(g) for n, g in first.items()}
            return tokens, {q: mask for q in moves(TORCH_EPSILON)}, seed
    raise Failed(f"{case.name}: {ATTEMPTS} draws, and in each some gradient is too near to zero to know its sign")


def torch_errors(case, start, tokens, truth, weight, accumulations, precisions):
    out = {}
    for precision in precisions:
        for accumulation in accumulations:
            for epsilon in epsilons(case, precision):
                result = torch_results(case, start, tokens, precision, epsilon, accumulation)
                for q, found in result.items():
                    out[precision, accumulation, q] = error2(found, truth[q], weight.get(q))
    return out


def prepare(product, case, folder, precisions=("f32", "bf16"), variants=None, draws=None):
    """Truth and PyTorch's errors, and the files that the product starts from, for each draw."""
    torch.set_num_threads(2 if case.draws == 1 else 1)  # small models gain nothing from a second one
    accumulations = sorted({v.accumulation for v in variants or case.variants})
    out, seed = [], 1000
    for i in range(draws or case.draws):
        at = f"{folder}/draw-{i}"
        start, init_from = random_start(case, at, seed) if case.shape.bias else product_start(product, case, at, seed)
        tokens, weight, seed = choose_tokens(case, start, seed)
        save_tokens(f"{at}/data", tokens, case.shape.vocab)
        truth = {}
        for epsilon in epsilons(case, "f32"):
            truth |= torch_results(case, start, tokens, "f64", epsilon)
        errors = torch_errors(case, start, tokens, truth, weight, accumulations, precisions)
        out.append(Draw(start, at, init_from, tokens, truth, weight, errors))
        seed += 2
    return out


def product_settings(case, draw, variant, precision, o, steps, out):
    return dict(
        init_from=draw.init_from, dataset=f"{draw.folder}/data", shuffle=False,
        context=case.shape.context, precision=precision, batch_size=case.rows,
        gradient_accumulation=variant.accumulation, steps=steps,
        learning_rate=o.rate, min_learning_rate=0.0, schedule="constant", warmup_steps=0, weight_decay=o.decay,
        beta1=o.beta1, beta2=o.beta2, adam_epsilon=o.epsilon, gradient_clip=0.0, dropout=0.0, threads=2,
        log_interval=1, log_dir=out, eval_interval=0, eval_batches=1, checkpoint_dir=f"{out}/steps",
        checkpoint_interval=steps, checkpoint_keep=0, resume="never") | variant.settings


def product_results(product, case, draw, variant, precision, epsilon):
    """quantity -> name -> values, computed by the product."""
    o, one, many = replace(case.optimizer, epsilon=epsilon), *moves(epsilon)
    before = values(model_of(case, draw.start), lambda p: p)
    result = {GRADIENT: None}
    for steps, beta1 in ((1, 0.0), (STEPS, o.beta1)):
        out = f"{draw.folder}/run"
        settings = product_settings(case, draw, variant, precision, replace(o, beta1=beta1), steps, out)
        product.train(out, settings)
        after = read_step(f"{out}/steps", steps, "model")
        result[one if steps == 1 else many] = difference(after, before)
        if steps == 1:
            moments = read_step(f"{out}/steps", steps, "optimizer")
            result[GRADIENT] = {n.removeprefix("m."): g for n, g in moments.items() if n.startswith("m.")}
        shutil.rmtree(out)
    return result


@dataclass
class Comparison:
    parameter: str
    error: float  # the product's
    torch_error: float
    ratio: float
    excused: bool
    uncounted: float  # share of its numbers whose gradient is not decided

    @property
    def good(self):
        return self.excused or self.ratio <= RATIO_LIMIT  # not a number is not good


def pooled(case, draws, results, precision, accumulation, quantity):
    """The comparisons of every parameter. results: of the product, one for each draw."""
    squared = [error2(r[quantity], d.truth[quantity], d.weight.get(quantity)) for r, d in zip(results, draws)]
    out = []
    for n in sorted(set().union(*squared)):
        size = norm2(draws, quantity, n)
        reference = sum(d.torch_error2[precision, accumulation, quantity].get(n, 0.0) for d in draws)
        error = math.sqrt(sum(e.get(n, math.inf) for e in squared) / size) if size else math.inf
        torch_error = math.sqrt(reference / size) if size else 0.0
        ratio = error / max(torch_error, ERROR_FLOOR)
        out.append(Comparison(n, error, torch_error, ratio, error < EXCUSED_BELOW[precision],
                              uncounted(draws, quantity, n)))
    return out


def norm2(draws, quantity, name):
    total = 0.0
    for d in draws:
        if name in d.truth[quantity]:
            t, weight = d.truth[quantity][name], d.weight.get(quantity)
            total += (t if weight is None else t * weight[name]).pow(2).sum().item()
    return total


def uncounted(draws, quantity, name):
    shares = [1 - d.weight[quantity][name].mean().item() for d in draws
              if quantity in d.weight and name in d.weight[quantity]]
    return sum(shares) / len(shares) if shares else 0.0


def compare(case, draws, variant, precision, measure):
    """quantity -> comparisons of every parameter. measure(draw, epsilon): the results to judge."""
    out = {}
    for epsilon in epsilons(case, precision, variant):
        results = [measure(d, epsilon) for d in draws]
        for quantity in results[0]:
            if quantity not in out:  # the gradient is the same for all epsilons
                out[quantity] = pooled(case, draws, results, precision, variant.accumulation, quantity)
    return out
