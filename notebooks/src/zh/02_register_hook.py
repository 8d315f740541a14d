# %% [markdown]
# # 2 · 在半路上改写梯度
#
# 张量钩子（hook）是你写的一个函数，PyTorch 会在反向传播途中拿着某个张量的梯度来调用它。它可以只看一眼，也可以把梯度换掉。学完这一页，你可以：
#
# * 说清钩子什么时候运行，返回值起什么作用；
# * 看懂同一个张量上的一串钩子；
# * 预测叶子、非叶子和根张量上的钩子各会改变什么，并动手验证。
#
# 如果还不熟悉“叶子”和 `retain_grad`，请先看 [1 · 叶子张量与非叶子张量](01_leaf_and_nonleaf.ipynb)。

# %%
import torch

import hookviz

# %% [markdown]
# ## 2.1 一个钩子，接着再来一个
#
# `c.register_hook(f)` 的意思是：等 `c` 的梯度算完整了，请调用 `f(grad)`。
#
# * 如果 `f` 返回一个张量，它就**取代**原来的梯度：`c.grad` 用它，`c` 后面的一切也都用它。这里的“后面”是顺着梯度走的方向说的：`c` 是由谁算出来的，谁就在 `c` 后面。
# * 如果 `f` 返回 `None`（没有写 `return` 的函数就是这样），梯度**原样**往下走。
#
# 下面第一个钩子给梯度加 2；第二个只是 `print`，而 `print` 返回 `None`。


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
# 我们调用 `c.backward()`，反向传播就从 `c` 开始。`c` 对自身的梯度是 1。
#
# **运行之前先预测：** 两个钩子会打印哪两行，谁先谁后？`a.grad`、`b.grad`、`c.grad` 又分别是多少？

# %%
c.backward()
print("a.grad", a.grad)
print("b.grad", b.grad)
print("c.grad", c.grad)

# %% [markdown]
# 钩子按注册的先后顺序运行，第二个收到的是第一个返回的 3。`c.grad` 就是这个 3，尽管 `retain_grad()` 是在两个钩子之后才调用的：保存下来的，是**所有**钩子都运行完之后的梯度。`a` 和 `b` 的梯度是从 3 而不是从 1 算出来的：$3 \cdot b = 9$，$3 \cdot a = 6$。
#
# 现在一步一步走一遍。反向传播会释放计算图，所以这里重新创建张量。

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(c_hook)
c.register_hook(lambda grad: print("hello my grad is", grad))
c.retain_grad()

hookviz.explore(c, lang="zh")

# %% [markdown]
# ## 2.2 非叶子、叶子和根上的钩子
#
# 再加一次乘法，一趟反向传播里就有了三种钩子：
#
# | 张量 | 是什么 | 钩子 |
# |---|---|---|
# | `c` | 非叶子 | 上面那两个 |
# | `d` | 叶子 | 加 100 |
# | `e` | 根（也是非叶子） | 乘 2 |

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
# **请依次预测：**
#
# 1. `e` 的梯度一开始是 1。它的钩子把 1 变成多少？接着 `c` 和 `d` 各收到多少？
# 2. `d` 是叶子。有人说叶子的梯度在反向传播途中改不了。那么 `d.grad` 会是多少？
# 3. `d` 的钩子和 `c` 的钩子，哪个先运行？
# 4. 到达 `a` 和 `b` 的梯度是多少？

# %%
explorer = hookviz.explore(e, lang="zh")
explorer

# %% [markdown]
# 可以用按钮一步步走，也可以直接读文字版：

# %%
print(explorer.trace.text(lang="zh"))

# %% [markdown]
# 1. `e` 的钩子把 1 变成 2。乘法接着把 $2 \cdot d = 8$ 传给 `c`，把 $2 \cdot c = 12$ 传给 `d`。
# 2. `d.grad` 是 112。**叶子上的钩子会改变累加进 `.grad` 的值。** 反向传播途中没法从外面去改，只能通过钩子。
# 3. `d` 的钩子先运行。两个张量的梯度都已经完整；在可以执行的函数里，引擎会先执行给叶子填 `.grad` 的那一个。可见叶子的 `.grad` 并不是最后统一填的，而是途中随时填好的。
# 4. `c` 收到 8，`c_hook` 把它变成 10，所以 `a` 得到 $10 \cdot b = 30$，`b` 得到 $10 \cdot a = 20$。`d` 那里加的 100 没有混进来：叶子后面什么也没有。
#
# 想知道钩子到底改了什么，就拿没有钩子的同一次反向传播来对比：

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
# ## 2.3 改一改钩子，再跑一遍
#
# 在上面的图里点 `d`，输入框里就会出现它的钩子 `lambda grad: grad + 100`。把它改成 `lambda grad: grad * 0`，再点**应用**。PyTorch 会带着改过的钩子重新执行一次反向传播，所有数字随之更新。（如果点**新钩子**，就会在它之后再加一个钩子。）
#
# 用 Python 也一样。每个钩子都有一个编号：

# %%
d_hook = explorer.trace.graph.find("d").hooks[0]
print(d_hook.id, "·", d_hook.source)

# %% [markdown]
# **先预测：** 把 `d` 的钩子换成 `grad * 0`，五个梯度里哪些会变？

# %%
explorer.edit(d_hook.id, "lambda grad: grad * 0")
for name in "abcde":
    print(name, explorer.trace.grad(name).item())

# %% [markdown]
# 只有 `d.grad` 变了。它现在是 0；0 是一个正常的梯度，不是 `None`。
#
# 也可以添加新的钩子，再把它移除：

# %%
hook_id = explorer.attach("b", "lambda grad: grad / 2")
print("有这个钩子：", explorer.trace.grad("b").item())
explorer.remove(hook_id)
print("移除之后：  ", explorer.trace.grad("b").item())

# %% [markdown]
# 把最初的钩子换回去，让上面的图恢复原样。

# %%
explorer.edit(d_hook.id, "lambda grad: grad + 100")
print(explorer.trace.grad("d").item())

# %% [markdown]
# 在自己的程序里，请把 `register_hook` 的返回值留好，要移除钩子就靠它：

# %%
w = torch.tensor(5.0, requires_grad=True)
handle = w.register_hook(lambda grad: grad * 1000)
handle.remove()
(w * w).backward()
print(w.grad)

# %% [markdown]
# ## 2.4 一个要避开的坑
#
# 不要**原地**修改梯度（`grad.mul_(2)`、`grad += 1`），因为另一个张量的梯度可能用的是同一块内存。请算出一个新张量，再返回它。
#
# 如果钩子返回的既不是张量也不是 `None`，反向传播就会报错并中止。`hookviz.record` 会把这个错误记下来，之前发生的一切也都还在：

# %%
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.register_hook(lambda grad: "请给我两倍")
trace = hookviz.record(y)
print(trace.text(lang="zh"))

# %% [markdown]
# ## 小结
#
# * 张量的梯度算完整之后，钩子才会收到它。返回张量就替换，返回 `None` 就不变。
# * 同一个张量上的钩子按注册顺序运行，每一个接着前一个的结果。
# * 该张量**所有**钩子运行之后剩下的值，才会进入 `.grad`，无论是保存还是累加：原来是 `None` 就直接填入，已有值就加上去。
# * 钩子只影响自己的张量和它后面的一切，别的都不受影响。
#
# ## 练习
#
# 下面还是那两次乘法，没有钩子。请让 `a.grad` 变成 0，其他梯度都保持不变。看起来有两个地方可以下手。哪个才对？另一个还会改变什么？

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.retain_grad()
d = torch.tensor(4.0, requires_grad=True)
e = c * d
# 在这里写你的钩子

e.backward()
print("a", a.grad, " b", b.grad, " c", c.grad, " d", d.grad)

# %% [markdown]
# <details><summary>答案</summary>
#
# `a.register_hook(lambda grad: grad * 0)`。结果是 `a` 为 0，`b` 为 8，`c` 为 4，`d` 为 6。
#
# 把同样的钩子放到 `c` 上，`a.grad` 也会变成 0，但还有 `c.grad`（它在钩子之后才保存）和 `c` 后面的 `b.grad` 也跟着变了。
# </details>
#
# **下一页：** [3 · 模块四周的钩子](03_module_hooks.ipynb)
