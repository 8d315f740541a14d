# %% [markdown]
# # 4 · 看进一个网络里面
#
# LeNet 读入一张小图，给出十个数。你将用两个钩子查看第一层把图变成了什么，再用 hookviz 看梯度怎样一路传回来。学完这一页，你可以：
#
# * 不改网络，就读出每一层输出的形状；
# * 分清“一层上的钩子”和“整个模型上的钩子”；
# * 打开、合上深层网络里的方框，找到梯度在哪里变小。
#
# 如果还不熟悉模块钩子，请先看 [3 · 模块四周的钩子](03_module_hooks.ipynb)。

# %%
import torch
import torch.nn.functional as F
from torch import nn

import hookviz

# %%
# 用双精度，这样本页的数字在每台机器上都一样。
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
# ## 4.1 一层上一个钩子，模型上一个钩子
#
# 第一个钩子在 `conv1` 上。第二个在 `model` 自己身上：它**不是**最后一层的钩子，虽然看到的数相同，因为模型返回的正是最后一层返回的东西。
#
# **先预测再运行：**哪个先打印，形状各是什么？

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
# `conv1` 先打印：它返回的时候，模型还在工作。5×5 的卷积核没有填充，两边一共少 4，所以 32 变成 28；每个输出通道一张平面。
#
# ## 4.2 第一层看到了什么
#
# 钩子留下了 `conv1` 的输出：六张 28×28 的平面，也就是*特征图*。

# %% tags=["nbval-ignore-output"]
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 6, figsize=(10, 2))
for number, (axis, plane) in enumerate(zip(axes, kept["conv1"][0], strict=True)):
    axis.imshow(plane, cmap="gray")
    axis.set_title(f"map {number}")
    axis.axis("off")

# %% [markdown]
# 权重是随机的，所以特征图只是滤过的噪声。训练好的网络里，有的图会在边缘处亮起来，有的对颜色敏感。
#
# ## 4.3 整个过程
#
# 一个损失，以及穿过整个网络的反向传播。每个模块是一个**方框**。合上的方框显示进去的和出来的；按 **+** 打开它。

# %%
label = torch.tensor([3])
explorer = hookviz.explore(lambda: F.cross_entropy(model(picture), label), lang="zh")
explorer

# %% [markdown]
# **预测：**打开 `fc1`。梯度从哪个节点进来，又传到几个地方？

# %%
explorer.expand("fc1")

# %% [markdown]
# 权重和偏置的梯度止于方框之内；离开方框的只有这一层**输入**的梯度，它传向卷积层。
#
# ## 4.4 梯度在哪里变小？
#
# 每个参数的梯度的范数，按反向传播到达它们的顺序排列：

# %% tags=["nbval-ignore-output"]
explorer.trace.plot(lang="zh")

# %% [markdown]
# 现在在半路上压低梯度。`fc2` 上的一个完整反向钩子，把它传给前面所有层的梯度减半。（在窗口里：点击 `fc2`，选择“完整反向钩子”，输入文字，按**添加钩子**。）
#
# **预测：**谁的梯度会变成一半，谁的不变？


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
# `fc1` 和两个卷积层在钩子后面：变成一半。`fc2.weight` 自己没有变：钩子改的是离开 `fc2`、传向它输入的梯度，而它自己的参数是另外的出口。
#
# ## 小结
#
# * 前向钩子可以读出任何一层的输出，哪怕网络不是你写的。
# * 模型上的钩子看到模型的输出，不管它来自哪一层。
# * 模块是方框；对梯度来说，方框有一个入口和几个出口：它的输入，以及每个参数。
#
# ## 练习
#
# 用一个前向钩子，在循环里注册到**每一层**上，把每层输出的平均值收集到一个字典里。你需要每层的名字，钩子怎样才能知道它？

# %%
means = {}
# 在这里写你的循环

model(picture)
print(means)

# %% [markdown]
# <details><summary>答案</summary>
#
# 钩子得到的是模块，不是它的名字。注册的时候把名字绑上：
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
