# %% [markdown]
# # 1 · 叶子张量与非叶子张量
#
# 调用 `backward()` 之后，有的张量有 `.grad`，有的却是 `None`，乍一看并没有规律。学完这一页，你可以：
#
# * 不用运行代码，就能判断一个张量是不是叶子；
# * 预测反向传播之后哪些 `.grad` 有值，值是多少；
# * 在需要的时候，把非叶子张量的梯度留下来。
#
# 请从上到下依次用 **Shift + Enter** 运行单元格。遇到提问，先想好答案再往下运行：真正学到东西，靠的就是这一步。

# %%
import torch

import hookviz

# %% [markdown]
# ## 1.1 两种张量
#
# 有些张量是你亲手创建的，另一些是运算的结果，由 PyTorch 创建。

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b

print("a", a.is_leaf)
print("b", b.is_leaf)
print("c", c.is_leaf)

# %% [markdown]
# `a` 和 `b` 是**叶子**：它们不是由 autograd 记录的运算得来的。`c` 是**非叶子**：它来自一次加法，而且记得是哪一次运算产生了自己。

# %%
print("a.grad_fn:", a.grad_fn)
print("c.grad_fn:", c.grad_fn.name())

# %% [markdown]
# `grad_fn` 就是梯度往回流到 `c` 时要调用的反向函数。叶子没有 `grad_fn`，因为梯度流到那里就到头了。
#
# 不需要梯度的张量按约定也算叶子。不过梯度根本不会流向它，这时“叶子”一词没有什么实际意义。

# %%
plain = torch.tensor(7.0)
print("plain", plain.is_leaf, plain.requires_grad)

# %% [markdown]
# ## 1.2 哪些 `.grad` 会有值？
#
# 先后做两次乘法：
#
# $$c = a \cdot b \qquad e = c \cdot d$$
#
# **运行下一格之前，先写下五个答案。** 已知 $a=2$、$b=3$、$d=4$，执行 `e.backward()` 之后，`a`、`b`、`c`、`d`、`e` 的 `.grad` 分别是什么？

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d

print("反向传播前：", a.grad, b.grad, d.grad)
e.backward()
print("反向传播后：", a.grad, b.grad, d.grad)

# %% [markdown]
# 叶子都有值了：$\partial e/\partial a = b \cdot d = 12$，$\partial e/\partial b = a \cdot d = 8$，$\partial e/\partial d = c = 6$。
#
# 那么 `c` 呢？读取它的 `.grad` 时，PyTorch 还会给出警告。下面这一格捕获这个警告，并打印它的第一句话。

# %%
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("c.grad:", c.grad)

print(caught[0].category.__name__, "-", str(caught[0].message).split(". ")[0])

# %% [markdown]
# `c.grad` 是 `None`，**原因是 `c` 是非叶子**，并不是没有梯度到过那里。梯度确实到过：没有 `c` 的梯度，`a` 和 `b` 的梯度根本算不出来。PyTorch 只是把它传了下去，没有保存；在真实的网络里，要是把所有中间结果的梯度都留着，内存很快就满了。
#
# ## 1.3 亲眼看它流过去
#
# `hookviz.explore(e)` 会真正执行一次 `e` 的反向传播，并把过程展示出来。点**下一步**，或者先点一下图再按右方向键，看梯度怎样从 `e` 一路流到各个叶子。界面语言可以在右上角切换，也可以像下面这样用 `lang="zh"` 指定。

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d

explorer = hookviz.explore(e, lang="zh")
explorer

# %% [markdown]
# 步骤和钩子上凡是能点的操作，都可以用 Python 来做。比如把前三步用文字说出来（运行这一格，上面的图也会跟着走到第 3 步）：

# %%
explorer.first()
for _ in range(3):
    explorer.next()
    print(explorer.caption)

# %% [markdown]
# 有些情况在 Python 里看起来都是 `None`，在上面的卡片上却分得很清楚。最先会遇到的有三种：
#
# | 卡片上的文字 | 含义 |
# |---|---|
# | *尚未计算* | 反向传播还没有走到这里 |
# | *None：已计算，未保留* | 梯度流过去了，但因为是非叶子，`.grad` 仍是 `None` |
# | *None：从未到达* | 反向传播已经结束，没有任何梯度到过这里 |
#
# 它们都不是 0。梯度等于 0，也是一个实实在在的梯度。
#
# ## 1.4 把非叶子的梯度留下来
#
# 如果需要 `c.grad`，就要在反向传播**之前**调用 `c.retain_grad()`。
#
# **先预测：** `c.grad` 会是多少？这样做会不会影响 `a.grad`、`b.grad` 和 `d.grad`？

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = torch.tensor(4.0, requires_grad=True)
e = c * d
c.retain_grad()

trace = hookviz.record(e)
print(trace.text(lang="zh"))

# %% [markdown]
# `hookviz.record(e)` 执行同样的反向传播，不画图，而是用文字写出全过程。和前面相比只多了一步：`c` 保留了 4，所以表里 `c` 那一行最后是 4。其他数字一概没变。保存梯度只是“看”，并没有“动”它。

# %%
print(a.grad, b.grad, c.grad, d.grad)

# %% [markdown]
# ## 1.5 看着像叶子，其实不是
#
# 叶子最容易这样弄丢。下面两个名字里，只有一个指的是叶子：

# %%
scaled = torch.tensor(3.0, requires_grad=True) * 0.5
weight = torch.tensor(3.0 * 0.5, requires_grad=True)

print("scaled", scaled.is_leaf)
print("weight", weight.is_leaf)

# %% [markdown]
# `scaled` 是乘法的结果，它背后的那个叶子已经没有名字了，而 `scaled.grad` 一直是 `None`。把这样的张量交给优化器，优化器会直接拒绝。所以要先把数算好，最后再要求梯度。
#
# ## 小结
#
# * 需要梯度的**叶子**是你亲手创建的张量；**非叶子**是运算的结果，带有 `grad_fn`。
# * `backward()` 会填好叶子的 `.grad`。非叶子的 `.grad` 仍是 `None`，读取时还会有警告。
# * `None` 不代表没有梯度流过。`retain_grad()` 能把梯度留下来，而且不会改变别的东西。
#
# ## 练习
#
# 这里的 `q` 是有两个元素的非叶子。**先在纸上算：** 如果把 `q.grad` 留下来，它是多少？`p.grad` 又是多少？**然后**加一行代码，使得最后一行（去掉注释后）能打印 `q.grad`，并且没有警告。

# %%
p = torch.tensor([1.0, 3.0], requires_grad=True)
q = p * p
r = q.sum()
# 在这里加一行

r.backward()
print("p.grad", p.grad)
# print("q.grad", q.grad)

# %% [markdown]
# <details><summary>答案</summary>
#
# 加上 `q.retain_grad()`。求和把 1 分给 `q` 的每个元素，所以 `q.grad` 是 `tensor([1., 1.])`。`q = p * p` 用了两次 `p`，两处的梯度相加：`p.grad` 是 `1 * p + 1 * p`，即 `tensor([2., 6.])`。
# </details>
#
# **下一页：** [2 · 在半路上改写梯度](02_register_hook.ipynb)
