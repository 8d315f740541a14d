# %% [markdown]
# # 3 · 模块四周的钩子
#
# 模块（`torch.nn.Module`）有自己的钩子。模块被**调用**时它们运行：在 `forward` 之前，在它之后，以及反向传播回到这个模块的时候。学完这一页，你可以：
#
# * 说清它们按什么顺序运行，各自可以替换什么；
# * 明白钩子为什么看不到关键字参数；
# * 在完整反向钩子里分清 `grad_input` 和 `grad_output`。
#
# 如果还不熟悉张量钩子，请先看 [2 · 在半路上改写梯度](02_register_hook.ipynb)。

# %%
from contextlib import suppress

import torch
from torch import nn

import hookviz

# %% [markdown]
# ## 3.1 forward 之前和之后
#
# 最小的模块：把三个张量加起来。它的 `forward` 前后各站着一个钩子。
#
# * **前向前置钩子**在 `forward` 之前以 `hook(module, args)` 的形式被调用，返回值取代参数。
# * **前向钩子**在 `forward` 之后以 `hook(module, args, output)` 的形式被调用，返回值取代输出。
# * 两者都可以返回 `None`：一切照旧。


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
# **先预测再运行：**`forward` 拿到的不是 1、2、3，那是什么？它返回什么，你又得到什么？

# %%
print(net(a, b, c))

# %% [markdown]
# 输出 126：前置钩子给**第一个**和**第三个**参数加了 10，于是 `forward` 拿到 11、2、13，返回 26；前向钩子再把它变成 126。
#
# 要亲眼看到，就把这次调用作为函数交给 `explore`。它会在全程观察下调用一次，再对返回值调用 `backward()`。前向和反向就排在同一条时间线里。

# %%
explorer = hookviz.explore(lambda: net(a, b, c), lang="zh")
explorer

# %% [markdown]
# 同样的内容，写成文字：

# %%
print(explorer.trace.text(lang="zh"))

# %% [markdown]
# `a`、`b`、`c` 的梯度都是 1：加 10 或加 100 不改变斜率。不过钩子自己也做了运算，反向传播同样要经过它们。
#
# ## 3.2 修改钩子，前向就重新运行
#
# 点击上面的方框 `net`，修改 `return a + 10, b, c + 10`；也可以在 Python 里做：

# %%
pre_hook = explorer.hooks(net)[0]
print(pre_hook.kind, "·", pre_hook.label)

# %% [markdown]
# **预测：**前置钩子现在把第一个参数乘以 10。模块返回什么，哪个梯度不再是 1？

# %%
explorer.edit(pre_hook, "lambda module, args: (args[0] * 10, *args[1:])")
for name in "abc":
    print(name, explorer.trace.grad(name).item())

# %% [markdown]
# `a.grad` 是 10。只做加法的前向钩子不影响梯度，做乘法的会。关闭这个窗口，模块就恢复自己原来的钩子。（上面只留下一张图；想再点击操作，就重新运行那个单元格。）

# %%
explorer.close()
print(net(a, b, c))

# %% [markdown]
# ## 3.3 普通钩子看不到的东西
#
# 用关键字调用模块：`net(a, b, c=c)`。`args` 里只有**位置**参数。想从里面取出三个的钩子就会失败：

# %%
try:
    net(a, b, c=c)
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# 到那一刻为止的过程，由 `watch` 记录。`watch` 只记录前向，不运行任何反向传播：

# %%
with hookviz.watch(net) as forward, suppress(ValueError):
    net(a, b, c=c)
print(forward.trace.text(lang="zh"))

# %% [markdown]
# 只取自己所需的钩子，两个参数也够用。加上 `with_kwargs=True`，钩子还会得到关键字参数，并且两样都要返回。
#
# **预测：**用下面这两个钩子，和分别是多少？


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
# ## 3.4 反向传播回来的时候
#
# 反向传播经过一个模块之后，**完整反向钩子**以 `hook(module, grad_input, grad_output)` 的形式被调用。
#
# * `grad_output`：模块**返回值**的梯度。它先到达。
# * `grad_input`：模块**输入**的梯度。它随后离开，钩子返回的元组会取代它。
#
# 名字是按前向起的：模块的输入和输出。用一个把输入翻倍的 `Linear` 层，很容易分清这两者。


# %%
def halve(module, grad_input, grad_output):
    print("grad_output", grad_output, "grad_input", grad_input)
    return (grad_input[0] / 2,)


double = nn.Linear(1, 1, bias=False)
nn.init.constant_(double.weight, 2.0)
double.register_full_backward_hook(halve)
x = torch.tensor([5.0], requires_grad=True)

# %% [markdown]
# **预测：**`y = double(x)` 是 10，反向传播从 `y.sum()` 开始。钩子会打印什么？`x.grad` 和 `double.weight.grad` 各是多少？

# %%
explorer = hookviz.explore(lambda: double(x).sum(), lang="zh")
explorer

# %%
print("x.grad", x.grad, " weight.grad", double.weight.grad)

# %% [markdown]
# 钩子把**传向输入**的梯度减了一半：2 变成 1。权重的梯度是 5，和没有钩子时一样：它不经过 `grad_input`。
#
# ## 小结
#
# * 调用模块会依次运行：前向前置钩子、`forward`、前向钩子。自己直接调用 `forward`，什么钩子都不运行。
# * 前置钩子可以替换参数，前向钩子可以替换输出。`None` 什么都不替换。
# * 普通钩子只看到位置参数；`with_kwargs=True` 才能看到其余的。
# * 完整反向钩子看到 `grad_output`（到达）和 `grad_input`（离开），可以替换后者；完整反向**前置**钩子可以替换前者。
#
# ## 练习
#
# 不碰 `SumNet`：让 `net(a, b, c)` 返回原来的和 6，而两个钩子都保留、都运行。你要加哪一个钩子，加在前面还是后面？

# %%
net = SumNet()
net.register_forward_pre_hook(add_ten)
net.register_forward_hook(add_hundred)
# 在这里写你的钩子

print(net(a, b, c))

# %% [markdown]
# <details><summary>答案</summary>
#
# `net.register_forward_hook(lambda module, args, output: output - 120)`。前向钩子按注册的顺序运行，每个接着上一个的输出：26、126、6。如果在 `add_ten` 之前加一个减去 10、0、10 的前置钩子，只能得到 106，因为 `add_hundred` 还在后面。
# </details>
#
# **下一页：** [4 · 看进一个网络里面](04_lenet.ipynb)
