# %% [markdown]
# # 4 · Look into a network
#
# LeNet reads a small picture and gives ten numbers. With two hooks you will look at what its first layer
# makes of a picture, and with hookviz at how the gradient comes back through all of it. At the end of this
# page you can
#
# * read the shape of every layer's output without changing the network,
# * tell a hook on one layer from a hook on the whole model,
# * open and close the boxes of a deep network, and find where a gradient gets small.
#
# If module hooks are new to you, read [3 · Hooks around a module](03_module_hooks.ipynb) first.

# %%
import torch
import torch.nn.functional as F
from torch import nn

import hookviz

# %%
# Double precision, so that the numbers on this page are the same on every machine.
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


model = LeNet()
picture = torch.randn(1, 3, 32, 32)

# %% [markdown]
# ## 4.1 One hook on a layer, one on the model
#
# The first hook sits on `conv1`. The second sits on `model` itself: it is **not** a hook on the last layer,
# although it sees the same numbers, because the model returns what its last layer returned.
#
# **Predict before you run:** which of the two prints first, and which shapes?

# %%
kept = {}


def keep(module, args, output):
    kept["conv1"] = output.detach()
    print("conv1:", list(args[0].shape), "→", list(output.shape))


def show(module, args, output):
    print("model:", list(args[0].shape), "→", list(output.shape))


model.conv1.register_forward_hook(keep)
model.register_forward_hook(show)
scores = model(picture)

# %% [markdown]
# `conv1` prints first: it returns while the model is still at work. A 5 by 5 kernel without padding takes 4
# off both sides, so 32 becomes 28, with one plane per output channel.
#
# ## 4.2 What the first layer sees
#
# The hook kept the output of `conv1`: six planes of 28 by 28, the *feature maps*.

# %% tags=["nbval-ignore-output"]
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 6, figsize=(10, 2))
for number, (axis, plane) in enumerate(zip(axes, kept["conv1"][0], strict=True)):
    axis.imshow(plane, cmap="gray")
    axis.set_title(f"map {number}")
    axis.axis("off")

# %% [markdown]
# The weights are random, so the maps are filtered noise. In a trained network some would light up at
# edges, others at colours.
#
# ## 4.3 The whole pass
#
# A loss, and the pass back through the network. Each module is a **box**. A closed box shows what went in
# and out; press **+** to open it.

# %%
label = torch.tensor([3])
explorer = hookviz.explore(lambda: F.cross_entropy(model(picture), label))
explorer

# %% [markdown]
# **Predict:** open `fc1`. Which node takes the gradient in, and to how many places does it send it?

# %%
explorer.expand("fc1")

# %% [markdown]
# The gradients of the weight and of the bias end in the box; only the gradient of the layer's **input**
# leaves it, towards the convolutions.
#
# ## 4.4 Where does a gradient get small?
#
# The norm of each parameter's gradient, in the order in which backward reached them:

# %% tags=["nbval-ignore-output"]
explorer.trace.plot()

# %% [markdown]
# Now hold the gradient down on its way. A full backward hook on `fc2` halves the gradient that it
# sends to everything before it. (In the explorer: click `fc2`, choose *full backward hook*, type the text, press **Add hook**.)
#
# **Predict:** whose gradient will be half of what it was, and whose not?


# %%
def gradient_norms():
    return {name: parameter.grad.norm().item() for name, parameter in model.named_parameters()}


before = gradient_norms()
explorer.attach(
    "fc2",
    "lambda module, grad_input, grad_output: (grad_input[0] / 2,)",
    kind="module_backward_hook",
)
after = gradient_norms()
for name in before:
    print(f"{name:12} {after[name] / before[name]:.3f}")

# %% [markdown]
# `fc1` and both convolutions come behind the hook: half. `fc2.weight` is not halved: the hook changed
# the gradient that leaves `fc2` towards its input, and the parameters of `fc2` are another way out.
#
# ## Recap
#
# * A forward hook reads any layer of a network that you did not write.
# * A hook on the model sees the model's output, whichever layer it came from.
# * Modules are boxes; a box has one way in and several ways out for the gradient: its input, and each of
#   its parameters.
#
# ## Exercise
#
# Use one forward hook, registered on **every** layer in a loop, to collect the mean of each output in a
# dictionary. Which layer's name do you need, and how does the hook get to know it?

# %%
means = {}
# your loop here

model(picture)
print(means)

# %% [markdown]
# <details><summary>Solution</summary>
#
# A hook is given the module, not its name. Bind the name when you register:
#
# ```python
# from functools import partial
#
# def collect(name, module, args, output):
#     means[name] = output.mean().item()
#
# for name, module in model.named_children():
#     module.register_forward_hook(partial(collect, name))
# ```
# </details>
