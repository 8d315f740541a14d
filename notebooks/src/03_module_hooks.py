# %% [markdown]
# # 3 · Hooks around a module
#
# A module (`torch.nn.Module`) has hooks of its own. They run when the module is **called**: before its
# `forward`, after it, and again when the backward pass comes back through it. At the end of this page you
# can
#
# * say in which order they run and what each of them may replace,
# * see why a hook misses a keyword argument,
# * tell `grad_input` from `grad_output` in a full backward hook.
#
# If tensor hooks are new to you, read [2 · Rewrite a gradient on its way](02_register_hook.ipynb) first.

# %%
from contextlib import suppress

import torch
from torch import nn

import hookviz

# %% [markdown]
# ## 3.1 Before and after the forward
#
# The smallest module there is: it adds up three tensors. Two hooks stand around its `forward`.
#
# * A **forward pre-hook** is called as `hook(module, args)` before `forward`. What it returns takes the
#   place of the arguments.
# * A **forward hook** is called as `hook(module, args, output)` after `forward`. What it returns takes the
#   place of the output.
# * Either may return `None`: then everything stays as it is.


# %%
class SumNet(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def add_ten(module, args):
    a, b, c = args
    return a + 10, b, c + 10


def add_hundred(module, args, output):
    return output + 100


net = SumNet()
net.register_forward_pre_hook(add_ten)
net.register_forward_hook(add_hundred)

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(3.0, requires_grad=True)

# %% [markdown]
# **Predict before you run:** what does `forward` get instead of 1, 2, 3? What does it return, and what do
# you get?

# %%
print(net(a, b, c))

# %% [markdown]
# It prints 126: the pre-hook added 10 to the **first** and the **third** argument, so `forward` got 11, 2,
# 13 and returned 26; the forward hook made 126 of it.
#
# To see it happen, give the call to `explore` as a function. It is called once, with everything watched,
# and then `backward()` is called on what it returns. The forward and the backward pass stand in one
# timeline.

# %%
explorer = hookviz.explore(lambda: net(a, b, c))
explorer

# %% [markdown]
# The same as text:

# %%
print(explorer.trace)

# %% [markdown]
# The gradients of `a`, `b` and `c` are all 1: adding 10 or 100 does not change a slope. But the
# hooks made operations of their own, and backward goes through those as well.
#
# ## 3.2 Change a hook, and the forward runs again
#
# Click the box `net` above, and change `return a + 10, b, c + 10`; or do it from Python:

# %%
pre_hook = explorer.hooks(net)[0]
print(pre_hook.kind, "·", pre_hook.label)

# %% [markdown]
# **Predict:** the pre-hook now multiplies the first argument by 10. What does the module return, and which
# gradient is no longer 1?

# %%
explorer.edit(pre_hook, "lambda module, args: (args[0] * 10, *args[1:])")
for name in "abc":
    print(name, explorer.trace.grad(name).item())

# %% [markdown]
# `a.grad` is 10. A forward hook that only adds leaves gradients alone; one that multiplies does not.
# Close the explorer, and the module has its own hooks back. (What it showed above stays as a picture. To
# click in it again, run its cell once more.)

# %%
explorer.close()
print(net(a, b, c))

# %% [markdown]
# ## 3.3 What a plain hook does not see
#
# Call the module with a keyword, `net(a, b, c=c)`. `args` holds **positional** arguments only. A hook that
# takes three out of it fails:

# %%
try:
    net(a, b, c=c)
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# The pass up to there, as `watch` saw it. `watch` records a forward without running any backward:

# %%
with hookviz.watch(net) as forward, suppress(ValueError):
    net(a, b, c=c)
print(forward.trace)

# %% [markdown]
# A hook that takes only the arguments it needs works with two of them. With `with_kwargs=True`, a hook is given
# the keyword arguments too, and returns both.
#
# **Predict:** the sum with each of these two hooks.


# %%
def add_ten_to_the_first(module, args):
    return args[0] + 10, *args[1:]


def see_everything(module, args, kwargs):
    print("kwargs:", kwargs)
    return args, {**kwargs, "c": kwargs["c"] + 10}


other = SumNet()
other.register_forward_pre_hook(add_ten_to_the_first)
print(other(a, b, c=c))
other.register_forward_pre_hook(see_everything, with_kwargs=True)
print(other(a, b, c=c))

# %% [markdown]
# ## 3.4 When backward comes back
#
# A **full backward hook** is called as `hook(module, grad_input, grad_output)` when the backward pass has
# come through the module.
#
# * `grad_output`: the gradient of what the module **returned**. It arrives first.
# * `grad_input`: the gradient of what the module **was given**. It leaves, and a returned tuple takes its
#   place.
#
# The names are those of the forward: input and output of the module. A `Linear` layer that doubles makes
# the two easy to tell apart.


# %%
def halve(module, grad_input, grad_output):
    print("grad_output", grad_output, "grad_input", grad_input)
    return (grad_input[0] / 2,)


double = nn.Linear(1, 1, bias=False)
nn.init.constant_(double.weight, 2.0)
double.register_full_backward_hook(halve)
x = torch.tensor([5.0], requires_grad=True)

# %% [markdown]
# **Predict:** `y = double(x)` is 10, and the pass starts with `y.sum()`. What does the hook print? What is
# `x.grad`, and what is `double.weight.grad`?

# %%
explorer = hookviz.explore(lambda: double(x).sum())
explorer

# %%
print("x.grad", x.grad, " weight.grad", double.weight.grad)

# %% [markdown]
# The hook halved the gradient that left **towards the input**: 2 became 1. The gradient of the weight is 5, as it would
# be without the hook: it does not go through `grad_input`.
#
# ## Recap
#
# * Calling a module runs: forward pre-hooks, `forward`, forward hooks. Calling `forward` yourself runs no
#   hook at all.
# * A pre-hook may replace the arguments, a forward hook the output. `None` replaces nothing.
# * A plain hook sees positional arguments; `with_kwargs=True` shows the rest.
# * Full backward hooks see `grad_output` (arrives) and `grad_input` (leaves), and may replace the second;
#   a full backward **pre**-hook may replace the first.
#
# ## Exercise
#
# Without touching `SumNet`: make `net(a, b, c)` return the plain sum 6, while both hooks stay registered
# and run. Which hook do you add, before or after?

# %%
net = SumNet()
net.register_forward_pre_hook(add_ten)
net.register_forward_hook(add_hundred)
# your hook here

print(net(a, b, c))

# %% [markdown]
# <details><summary>Solution</summary>
#
# `net.register_forward_hook(lambda module, args, output: output - 120)`. Forward hooks run in the order of
# registration, each on the output of the one before: 26, 126, 6. A pre-hook before `add_ten` that takes
# away 10, 0, 10 gets you only to 106, since `add_hundred` still comes after.
# </details>
#
# **Next:** [4 · Look into a network](04_lenet.ipynb)
