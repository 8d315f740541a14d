# %% [markdown]
# # 1 · Leaf and non-leaf tensors
#
# After `backward()` some tensors have a `.grad` and some have `None`, and it is not obvious which.
# At the end of this page you can
#
# * tell a leaf from a non-leaf without running anything,
# * predict which `.grad` is filled by a backward pass, and with what,
# * keep the gradient of a non-leaf when you need to see it.
#
# Run the cells from top to bottom with **Shift + Enter**. Where a question is asked, answer it before
# you run the next cell. That is where the learning happens.

# %%
import torch

import hookviz

# %% [markdown]
# ## 1.1 Two kinds of tensors
#
# You make some tensors yourself. PyTorch makes others, as results of operations on yours.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b

print("a", a.is_leaf)
print("b", b.is_leaf)
print("c", c.is_leaf)

# %% [markdown]
# `a` and `b` are **leaves**: no operation that autograd recorded produced them. `c` is a
# **non-leaf**: it came out of an addition, and it remembers which one.

# %%
print("a.grad_fn:", a.grad_fn)
print("c.grad_fn:", c.grad_fn.name())

# %% [markdown]
# `grad_fn` is the backward function that will be called for `c` when gradients flow back. A leaf has
# none: it is where the flow ends.
#
# A tensor that does not require grad is a leaf as well, by convention. No gradient ever flows to it,
# so the word says nothing interesting there.

# %%
plain = torch.tensor(7.0)
print("plain", plain.is_leaf, plain.requires_grad)

# %% [markdown]
# ## 1.2 Which `.grad` is filled?
#
# Two multiplications, one after the other:
#
# $$c = a \cdot b \qquad e = c \cdot d$$
#
# **Before you run the next cell, write down five answers.** With $a=2$, $b=3$, $d=4$: what will
# `.grad` be for `a`, `b`, `c`, `d` and `e` after `e.backward()`?

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d

print("before:", a.grad, b.grad, d.grad)
e.backward()
print("after: ", a.grad, b.grad, d.grad)

# %% [markdown]
# The leaves are filled: $\partial e/\partial a = b \cdot d = 12$, $\partial e/\partial b = a \cdot d
# = 8$ and $\partial e/\partial d = c = 6$.
#
# And `c`? PyTorch even warns when you ask. This cell catches the warning and prints its first
# sentence.

# %%
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("c.grad:", c.grad)

print(caught[0].category.__name__, "-", str(caught[0].message).split(". ")[0])

# %% [markdown]
# `c.grad` is `None` **because `c` is a non-leaf**, not because no gradient got there. One did: without
# the gradient of `c`, those of `a` and `b` could not have been computed. PyTorch passed it on and did
# not keep it, since in a real network the gradients of all intermediate results would fill the memory.
#
# ## 1.3 See it pass
#
# `hookviz.explore(e)` runs the backward pass of `e`, a real one, and shows what happened. Press
# **Next step** (or click the picture and press the right arrow key) and watch the gradient go from `e`
# to the leaves.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d

explorer = hookviz.explore(e)
explorer

# %% [markdown]
# Every click on a step or a hook is also a line of Python. Here are the first three steps in words.
# The explorer above follows: run the cell, and it stands at step 3.

# %%
explorer.first()
for _ in range(3):
    explorer.next()
    print(explorer.caption)

# %% [markdown]
# In Python, different cases all look like `None`. The explorer keeps them apart. You will meet three of them
# at once:
#
# | on the card | meaning |
# |---|---|
# | *not computed yet* | the pass has not come here so far |
# | *None: computed, not kept* | a gradient passed through, and `.grad` is `None` since this is a non-leaf |
# | *None: never reached* | the pass is over and no gradient came here |
#
# None of them is a zero. A zero is a gradient like any other.
#
# ## 1.4 Keep the gradient of a non-leaf
#
# If you need `c.grad`, say so **before** the backward pass with `c.retain_grad()`.
#
# **Predict:** which number will `c.grad` hold? And does it change `a.grad`, `b.grad` or `d.grad`?

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d
c.retain_grad()

trace = hookviz.record(e)
print(trace)

# %% [markdown]
# `hookviz.record(e)` runs such a backward pass without a picture and gives the story as text. There is one
# more step than before, *c .grad keeps 4*, and so the table ends with a 4 for `c`. No other number
# changed. Keeping a gradient is looking, not touching.

# %%
print(a.grad, b.grad, c.grad, d.grad)

# %% [markdown]
# ## 1.5 A leaf that is not one
#
# This is the most common way to lose a leaf. Only one of these two names belongs to one:

# %%
scaled = torch.tensor(3.0, requires_grad=True) * 0.5
weight = torch.tensor(3.0 * 0.5, requires_grad=True)

print("scaled", scaled.is_leaf)
print("weight", weight.is_leaf)

# %% [markdown]
# `scaled` is the result of a multiplication. The leaf behind it has no name any more, and
# `scaled.grad` stays `None`. An optimizer refuses such a tensor. Do the arithmetic first and ask for
# gradients last.
#
# ## Recap
#
# * A **leaf** that requires grad is a tensor you made. A **non-leaf** is a result, and has a `grad_fn`.
# * `backward()` fills `.grad` of the leaves. For a non-leaf `.grad` stays `None` and reading it warns.
# * `None` does not mean that no gradient passed. `retain_grad()` keeps it, and changes nothing else.
#
# ## Exercise
#
# Here `q` is a non-leaf with two elements. **First on paper:** what is `q.grad` if it is kept, and what
# is `p.grad`? **Then** add one line and take the `#` off the last one, so that it
# prints `q.grad` without a warning.

# %%
p = torch.tensor([1.0, 3.0], requires_grad=True)
q = p * p
r = q.sum()
# your line here

r.backward()
print("p.grad", p.grad)
# print("q.grad", q.grad)

# %% [markdown]
# <details><summary>Solution</summary>
#
# The line is `q.retain_grad()`. The sum hands 1 to each element of `q`, so `q.grad` is `tensor([1., 1.])`.
# `q = p * p` uses `p` twice, and both uses add up: `p.grad` is `1 * p + 1 * p`, which is
# `tensor([2., 6.])`.
# </details>
#
# **Next:** [2 · Rewrite a gradient on its way](02_register_hook.ipynb)
