"""The operations of random graphs: each takes two tensors and a small number, and never fails.

What does not fit is made to fit (`y` becomes a number, `x` a matrix), so that any list of
instructions is a program and a failing one can be made shorter by leaving any of them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from tests.fuzz import functions
from tests.fuzz.fitting import (
    changed,
    dim,
    fit,
    image,
    like,
    line,
    mask,
    matrix,
    own,
    partner,
    places,
    some,
)

Operation = Callable[[torch.Tensor, torch.Tensor, int], Any]


ARITHMETIC: dict[str, Operation] = {
    "add": lambda x, y, n: x + fit(y, x),
    "add_alpha": lambda x, y, n: torch.add(x, fit(y, x), alpha=n),
    "add_number": lambda x, y, n: x + n,
    "sub": lambda x, y, n: x - fit(y, x),
    "mul": lambda x, y, n: x * fit(y, x),
    "mul_number": lambda x, y, n: x * (n - 1),
    "div": lambda x, y, n: x / fit(y, x),
    "number_div": lambda x, y, n: n / x,
    "pow": lambda x, y, n: x ** (n % 4),
    "pow_tensor": lambda x, y, n: x.abs() ** fit(y, x),
    "neg": lambda x, y, n: -x,
    "remainder": lambda x, y, n: x % (n + 1),
    "maximum": lambda x, y, n: torch.maximum(x, fit(y, x)),
    "minimum": lambda x, y, n: torch.minimum(x, fit(y, x)),
    "atan2": lambda x, y, n: torch.atan2(x, fit(y, x)),
    "hypot": lambda x, y, n: torch.hypot(x, like(fit(y, x), x)),
    "lerp": lambda x, y, n: torch.lerp(x, like(fit(y, x), x), 0.25 * n),
    "addcmul": lambda x, y, n: torch.addcmul(x, x, like(fit(y, x), x), value=n),
    "where": lambda x, y, n: torch.where(x > 0, x, fit(y, x)),
    "clone": lambda x, y, n: x.clone(),
    "contiguous": lambda x, y, n: x.contiguous(),
    "double": lambda x, y, n: x.double(),
    "float": lambda x, y, n: x.float(),
    "detach": lambda x, y, n: x.detach() * fit(y, x),
}

ELEMENTWISE: dict[str, Operation] = {
    "exp": lambda x, y, n: x.exp(),
    "expm1": lambda x, y, n: x.expm1(),
    "log": lambda x, y, n: x.log(),
    "log1p": lambda x, y, n: x.log1p(),
    "sqrt": lambda x, y, n: x.sqrt(),
    "rsqrt": lambda x, y, n: x.rsqrt(),
    "abs": lambda x, y, n: x.abs(),
    "square": lambda x, y, n: x.square(),
    "reciprocal": lambda x, y, n: x.reciprocal(),
    "sign": lambda x, y, n: x.sign(),
    "round": lambda x, y, n: x.round(),
    "sin": lambda x, y, n: x.sin(),
    "cos": lambda x, y, n: x.cos(),
    "erf": lambda x, y, n: x.erf(),
    "tanh": lambda x, y, n: x.tanh(),
    "sigmoid": lambda x, y, n: x.sigmoid(),
    "relu": lambda x, y, n: x.relu(),
    "leaky_relu": lambda x, y, n: functional.leaky_relu(x, 0.1 * n),
    "elu": lambda x, y, n: functional.elu(x),
    "gelu": lambda x, y, n: functional.gelu(x),
    "silu": lambda x, y, n: functional.silu(x),
    "softplus": lambda x, y, n: functional.softplus(x),
    "hardtanh": lambda x, y, n: functional.hardtanh(x),
    "clamp": lambda x, y, n: x.clamp(-0.5 * n, 1),
    "nan_to_num": lambda x, y, n: x.nan_to_num(0.0, 9.0, -9.0),
    "softmax": lambda x, y, n: x.softmax(dim(x, n)),
    "log_softmax": lambda x, y, n: x.log_softmax(dim(x, n)),
    "cumsum": lambda x, y, n: x.cumsum(dim(x, n)),
    "cumprod": lambda x, y, n: x.cumprod(dim(x, n)),
    "masked_fill": lambda x, y, n: x.masked_fill(mask(x, n), n),
    "tril": lambda x, y, n: matrix(x).tril(n - 1),
    "flip": lambda x, y, n: line(x).flip(0),
    "roll": lambda x, y, n: line(x).roll(n),
    "pad": lambda x, y, n: functional.pad(line(x), (n % 2, 1)),
    "dropout": lambda x, y, n: functional.dropout(x, 0.5),
}

REDUCTIONS: dict[str, Operation] = {
    "sum": lambda x, y, n: x.sum(),
    "sum_dim": lambda x, y, n: x.sum(dim(x, n), keepdim=n % 2 == 0),
    "mean": lambda x, y, n: x.mean(),
    "mean_dim": lambda x, y, n: x.mean(dim(x, n)),
    "prod": lambda x, y, n: x.prod(),
    "prod_dim": lambda x, y, n: x.prod(dim(x, n)),
    "max": lambda x, y, n: x.max(),
    "amax": lambda x, y, n: x.amax(dim(x, n)),
    "norm": lambda x, y, n: x.norm(),
    "norm_dim": lambda x, y, n: torch.linalg.vector_norm(x, n % 3 + 1, dim(x, n)),
    "logsumexp": lambda x, y, n: x.logsumexp(dim(x, n)),
    "std": lambda x, y, n: x.std(),
    "var": lambda x, y, n: x.var(correction=0),
    "median": lambda x, y, n: x.median(),
    "dist": lambda x, y, n: torch.dist(x, like(fit(y, x), x)),
    "mse_loss": lambda x, y, n: functional.mse_loss(x, like(y, x) if y.shape == x.shape else x),
    "trace": lambda x, y, n: matrix(x).trace(),
}

PRODUCTS: dict[str, Operation] = {
    "matmul": lambda x, y, n: matrix(x) @ partner(x, y),
    "mv": lambda x, y, n: matrix(x) @ partner(x, y)[:, 0],
    "dot": lambda x, y, n: torch.dot(x.flatten(), x.flatten()),
    "outer": lambda x, y, n: torch.outer(x.flatten(), like(y.flatten(), x)),
    "addmm": lambda x, y, n: torch.addmm(x.sum(), matrix(x), partner(x, y), alpha=n),
    "bmm": lambda x, y, n: torch.bmm(matrix(x)[None], partner(x, y)[None]),
    "linear": lambda x, y, n: functional.linear(matrix(x), partner(x, y).T, x.sum()),
    "einsum": lambda x, y, n: torch.einsum("ij,jk->ki", matrix(x), partner(x, y)),
    "einsum_square": lambda x, y, n: torch.einsum("ij,ij->j", matrix(x), matrix(x)),
    "tensordot": lambda x, y, n: torch.tensordot(matrix(x), partner(x, y), dims=1),
    "conv1d": lambda x, y, n: functional.conv1d(
        matrix(x)[None], like(y.flatten()[:1], x).expand(1, len(matrix(x)), 1), padding=n % 2
    ),
    "conv2d": lambda x, y, n: functional.conv2d(
        image(x), like(y.flatten()[:1], x).expand(2, 1, 1, 1), x.flatten()[:1].expand(2)
    ),
    "avg_pool1d": lambda x, y, n: functional.avg_pool1d(matrix(x)[None], 1 + n % 2),
    "max_pool1d": lambda x, y, n: functional.max_pool1d(matrix(x)[None], 1 + n % 2),
    "layer_norm": lambda x, y, n: functional.layer_norm(line(x), line(x).shape[-1:]),
    "normalize": lambda x, y, n: functional.normalize(line(x), dim=0),
}

VIEWS: dict[str, Operation] = {
    "view": lambda x, y, n: x.view(-1),
    "view_as": lambda x, y, n: x.view(x.shape),
    "reshape": lambda x, y, n: x.reshape(1, -1),
    "flatten": lambda x, y, n: x.flatten(),
    "transpose": lambda x, y, n: matrix(x).T,
    "movedim": lambda x, y, n: line(x).movedim(0, -1),
    "expand": lambda x, y, n: x.expand(2, *x.shape),
    "expand_last": lambda x, y, n: x[..., None].expand(*x.shape, 2),
    "unsqueeze": lambda x, y, n: x.unsqueeze(n % (x.dim() + 1)),
    "squeeze": lambda x, y, n: x.squeeze(),
    "narrow": lambda x, y, n: line(x).narrow(dim(line(x), n), 0, 1),
    "select": lambda x, y, n: line(x).select(dim(line(x), n), 0),
    "slice": lambda x, y, n: line(x)[n % 2 :],
    "slice_step": lambda x, y, n: line(x)[..., ::2],
    "diagonal": lambda x, y, n: matrix(x).diagonal(),
    "unfold": lambda x, y, n: line(x).unfold(0, 1, 1),
}

GATHERING: dict[str, Operation] = {
    "cat": lambda x, y, n: torch.cat([x.flatten(), like(y.flatten(), x)]),
    "stack": lambda x, y, n: torch.stack([x, x], dim=n % (x.dim() + 1)),
    "index_select": lambda x, y, n: line(x).index_select(0, places(x, n)),
    "embedding": lambda x, y, n: functional.embedding(places(matrix(x), n), matrix(x)),
    "index": lambda x, y, n: line(x)[places(x, n)],
    "mask": lambda x, y, n: x[mask(x, n)],
    "gather": lambda x, y, n: line(x).gather(0, torch.zeros_like(line(x), dtype=torch.int64)),
    "scatter": lambda x, y, n: x.flatten().scatter(0, places(x.flatten(), n), 1.0),
    "scatter_add": lambda x, y, n: torch.scatter_add(
        x.flatten(), 0, places(x.flatten(), n), like(y.mean().expand(2), x)
    ),
    "index_add": lambda x, y, n: torch.index_add(line(x), 0, places(x, n)[:1], line(x)[:1]),
    "take": lambda x, y, n: x.take(places(x.flatten(), n)),
    "repeat": lambda x, y, n: x.repeat(2, *[1] * x.dim()),
}

SEVERAL: dict[str, Operation] = {
    "unbind": lambda x, y, n: line(x).unbind(dim(line(x), n)),
    "split": lambda x, y, n: line(x).split(1 + n % 2, dim(line(x), n)),
    "chunk": lambda x, y, n: line(x).chunk(2, dim(line(x), n)),
    "topk": lambda x, y, n: line(x).topk(1, dim(line(x), n)),
    "sort": lambda x, y, n: line(x).sort(dim=dim(line(x), n), stable=True),
    "max_dim": lambda x, y, n: x.max(dim(x, n)),
    "kthvalue": lambda x, y, n: line(x).kthvalue(1),
    "cummax": lambda x, y, n: some(x).cummax(dim(x, n)),
    "aminmax": lambda x, y, n: torch.aminmax(x),
    "var_mean": lambda x, y, n: torch.var_mean(x, correction=0),
    "frexp": lambda x, y, n: torch.frexp(x),
    "meshgrid": lambda x, y, n: torch.meshgrid(x.flatten(), like(y.flatten(), x), indexing="ij"),
    "broadcast": lambda x, y, n: torch.broadcast_tensors(x, fit(y, x)),
}

IN_PLACE: dict[str, Operation] = {
    "add_": lambda x, y, n: own(x).add_(like(fit(y, x), x)),
    "add_number_": lambda x, y, n: own(x).add_(n),
    "mul_": lambda x, y, n: own(x).mul_(like(fit(y, x), x)),
    "mul_number_": lambda x, y, n: own(x).mul_(n),
    "relu_": lambda x, y, n: own(x).relu_(),
    "tanh_": lambda x, y, n: own(x).tanh_(),
    "clamp_": lambda x, y, n: own(x).clamp_(-1, n),
    "zero_": lambda x, y, n: own(x).zero_(),
    "copy_": lambda x, y, n: own(x).copy_(fit(y, x)),
    "masked_fill_": lambda x, y, n: own(x).masked_fill_(mask(x, n), n),
    "assign_first": lambda x, y, n: changed(x, (*[slice(n % 2, None)] * min(x.dim(), 1),), 2.0),
    "assign_tensor": lambda x, y, n: changed(x, (..., *[0] * min(x.dim(), 1)), y.mean()),
    "assign_mask": lambda x, y, n: changed(x, mask(x, n), y.mean()),
    "add_to_view": lambda x, y, n: own(x)[..., None].add_(n) if n % 2 else own(x).view(-1).add_(n),
    "squeeze_": lambda x, y, n: own(x).squeeze_(),
    "detach_": lambda x, y, n: own(x).detach_(),
}

CUSTOM: dict[str, Operation] = {
    "Double": lambda x, y, n: functions.Double.apply(x),
    "Product": lambda x, y, n: functions.Product.apply(x, fit(y, x)),
    "FirstOnly": lambda x, y, n: functions.FirstOnly.apply(x, fit(y, x)),
    "Nothing": lambda x, y, n: functions.Nothing.apply(x),
    "Parts": lambda x, y, n: functions.Parts.apply(x),
    "InPlace": lambda x, y, n: functions.InPlace.apply(own(x)),
    "checkpoint": lambda x, y, n: functions.checkpointed(x, fit(y, x)),
}

BROKEN: dict[str, Operation] = {
    "Changing": lambda x, y, n: functions.Changing.apply(x),
    "TooMany": lambda x, y, n: functions.TooMany.apply(x),
    "OtherShape": lambda x, y, n: functions.OtherShape.apply(x),
    "Raising": lambda x, y, n: functions.Raising.apply(x),
}

GROUPS = (
    ARITHMETIC,
    ELEMENTWISE,
    REDUCTIONS,
    PRODUCTS,
    VIEWS,
    GATHERING,
    SEVERAL,
    IN_PLACE,
    CUSTOM,
)

OPERATIONS: dict[str, Operation] = {
    name: operation for group in (*GROUPS, BROKEN) for name, operation in group.items()
}
