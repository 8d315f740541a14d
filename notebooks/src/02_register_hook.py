# %% [markdown]
# # 2 · Rewrite a gradient on its way
#
# A tensor hook is a function of yours that PyTorch calls with the gradient of one tensor, in the middle
# of the backward pass. It can look at the gradient, and it can replace it. At the end of this page you
# can
#
# * say when a hook runs and what its return value does,
# * follow a chain of hooks on one tensor,
# * predict what a hook on a leaf, on a non-leaf and on the root changes, and check it.
#
# If *leaf* and *retain_grad* are new to you, read [1 · Leaf and non-leaf
# tensors](01_leaf_and_nonleaf.ipynb) first.

# %%
import torch

import hookviz

# %% [markdown]
# ## 2.1 A hook, and another one after it
#
# `c.register_hook(f)` asks PyTorch to call `f(grad)` once the gradient of `c` is complete.
#
# * If `f` returns a tensor, that tensor **takes the place** of the gradient: for `c.grad`, and for
#   everything behind `c`. *Behind* means further along the way of the gradient: the tensors that `c` was
#   computed from.
# * If `f` returns `None`, as a function without `return` does, the gradient goes on **as it came**.
#
# The first hook below adds 2. The second is a `print`, and `print` returns `None`.


# %%
def c_hook(grad):
    print("c_hook", grad)
    return grad + 2


a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(c_hook)
c.register_hook(lambda grad: print("hello my grad is", grad))
c.retain_grad()

# %% [markdown]
# We call `c.backward()`, so the pass starts at `c`, with the gradient of `c` with respect to itself,
# which is 1.
#
# **Predict before you run:** which two lines do the hooks print, in which order? Then what are `a.grad`,
# `b.grad` and `c.grad`?

# %%
c.backward()
print("a.grad", a.grad)
print("b.grad", b.grad)
print("c.grad", c.grad)

# %% [markdown]
# The hooks ran in the order in which they were registered, and the second one received what the first
# one had returned: 3. `c.grad` is that 3, although `retain_grad()` was called after both: PyTorch keeps
# the gradient after **all** hooks. And `a` and `b` were computed from 3, not from 1:
# $3 \cdot b = 9$ and $3 \cdot a = 6$.
#
# Now step through it. A backward pass frees its graph, so the tensors are made anew.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(c_hook)
c.register_hook(lambda grad: print("hello my grad is", grad))
c.retain_grad()

hookviz.explore(c)

# %% [markdown]
# ## 2.2 Hooks on a non-leaf, on a leaf and on the root
#
# One more multiplication, and three kinds of hooks in one pass:
#
# | tensor | what it is | hooks |
# |---|---|---|
# | `c` | non-leaf | the two from above |
# | `d` | leaf | adds 100 |
# | `e` | root (a non-leaf too) | doubles |

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(c_hook)
c.register_hook(lambda grad: print("hello my grad is", grad))
c.retain_grad()
d = torch.tensor(4.0, requires_grad=True)
d.register_hook(lambda grad: grad + 100)
e = c * d
e.register_hook(lambda grad: grad * 2)
e.retain_grad()

# %% [markdown]
# **Predict, in this order:**
#
# 1. `e` starts with 1. What does its hook make of it, and what do `c` and `d` receive then?
# 2. `d` is a leaf. Some say that the gradient of a leaf cannot be changed during backward. What will
#    `d.grad` be?
# 3. Which runs first, the hook of `d` or the hooks of `c`?
# 4. What reaches `a` and `b`?

# %%
explorer = hookviz.explore(e)
explorer

# %% [markdown]
# Step through it with the buttons, or read the same pass as text:

# %%
print(explorer.trace)

# %% [markdown]
# 1. The hook of `e` made 2 of 1. The multiplication sent $2 \cdot d = 8$ to `c` and $2 \cdot c = 12$ to
#    `d`.
# 2. `d.grad` is 112. **A hook on a leaf changes the gradient that is added to its `.grad`.** You cannot
#    reach in from outside while backward runs; a hook is the way in.
# 3. The hook of `d` ran first. The gradients of both were complete; of two functions that are ready, the
#    engine runs the one that fills a leaf's `.grad` first. Leaves are filled in the middle of a pass, not
#    at its end.
# 4. `c` received 8, `c_hook` made 10 of it, and so `a` got $10 \cdot b = 30$ and `b` got
#    $10 \cdot a = 20$. The 100 of `d` is not in there: nothing is behind a leaf.
#
# To see what the hooks did, compare with the same pass without any:

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d
c.retain_grad()
e.retain_grad()
e.backward()
print("a", a.grad, " b", b.grad, " c", c.grad, " d", d.grad, " e", e.grad)

# %% [markdown]
# ## 2.3 Change a hook and run again
#
# In the explorer above, click `d`. The box shows its hook, `lambda grad: grad + 100`. Change the text to
# `lambda grad: grad * 0` and press **Apply**. PyTorch runs the backward pass again with the changed hook,
# and the numbers follow. (**New hook** would add a second one after it instead.)
#
# The same from Python. Each hook has an id:

# %%
d_hook = explorer.trace.graph.find("d").hooks[0]
print(d_hook.id, "·", d_hook.source)

# %% [markdown]
# **Predict:** with `grad * 0` on `d`, which of the five gradients change?

# %%
explorer.edit(d_hook.id, "lambda grad: grad * 0")
for name in "abcde":
    print(name, explorer.trace.grad(name).item())

# %% [markdown]
# Only `d.grad`. It is 0 now, which is a gradient like any other, and not `None`.
#
# A new hook can be attached, and taken away again:

# %%
hook_id = explorer.attach("b", "lambda grad: grad / 2")
print("with it   ", explorer.trace.grad("b").item())
explorer.remove(hook_id)
print("without it", explorer.trace.grad("b").item())

# %% [markdown]
# Put the first hook back, so that the explorer above shows what we started with.

# %%
explorer.edit(d_hook.id, "lambda grad: grad + 100")
print(explorer.trace.grad("d").item())

# %% [markdown]
# In a program of your own, keep the handle that `register_hook` returns. Its `remove()` takes the hook away:

# %%
w = torch.tensor(5.0, requires_grad=True)
handle = w.register_hook(lambda grad: grad * 1000)
handle.remove()
(w * w).backward()
print(w.grad)

# %% [markdown]
# ## 2.4 A mistake to know
#
# Do not change the gradient **in place** (`grad.mul_(2)`, `grad += 1`). The same memory may hold the
# gradient of another tensor. Make a new tensor and return it.
#
# A hook that returns something else than a tensor or `None` ends the pass with an error. `hookviz.record`
# keeps the error, and all that happened before it:

# %%
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.register_hook(lambda grad: "twice as much, please")
trace = hookviz.record(y)
print(trace)

# %% [markdown]
# ## Recap
#
# * A tensor hook gets the gradient of its tensor when it is complete. A returned tensor replaces it;
#   `None` leaves it.
# * Hooks of one tensor run in the order of registration, each on the result of the one before.
# * The `.grad` of a tensor gets the gradient **after** all hooks, kept or accumulated: the gradient is put
#   there if `.grad` was `None`, and added if it was not.
# * A hook changes its own tensor and everything behind it, and nothing else.
#
# ## Exercise
#
# Here are the two multiplications without a hook. Make `a.grad` zero and leave every other gradient as it
# is. There are two places where it looks possible. Which is right, and what does the other one change too?

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.retain_grad()
d = torch.tensor(4.0, requires_grad=True)
e = c * d
# your hook here

e.backward()
print("a", a.grad, " b", b.grad, " c", c.grad, " d", d.grad)

# %% [markdown]
# <details><summary>Solution</summary>
#
# `a.register_hook(lambda grad: grad * 0)`. It gives `a` 0, `b` 8, `c` 4, `d` 6.
#
# The same hook on `c` makes `a.grad` zero as well, but also `c.grad`, which is kept after the hook, and
# `b.grad`, which is behind `c`.
# </details>
#
# **Next:** [3 · Hooks around a module](03_module_hooks.ipynb)
