"""Networks as they are taught, small enough to run in every test."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

Make = Callable[[], torch.Tensor]


class SumNet(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return a + b + c


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 2, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(2, 3, 5), nn.ReLU()
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(48, 6), nn.ReLU(), nn.Linear(6, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.classifier(self.features(x))
        return out


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        out: torch.Tensor = self.relu(self.bn2(self.conv2(y)) + x)
        return out


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 2, 3, padding=1)
        self.layer1 = nn.Sequential(Block(2))
        self.layer2 = nn.Sequential(Block(2), Block(2))
        self.fc = nn.Linear(2, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.fc(self.layer2(self.layer1(self.stem(x))).mean((2, 3)))
        return out


def sum_net() -> Make:
    """Return the article's SumNet with a backward hook on it."""
    net = SumNet()
    a, b, c = (torch.tensor(value, requires_grad=True) for value in (1.0, 2.0, 3.0))
    net.register_full_backward_hook(lambda module, grad_input, _: (grad_input[0] * 10, None, None))
    return lambda: net(a, b, c)


def lenet() -> Make:
    """Return a LeNet with hooks of several kinds."""
    torch.manual_seed(0)
    net, x = LeNet(), torch.randn(2, 1, 20, 20, requires_grad=True)
    for module in (net.features, net.classifier):
        module.register_full_backward_hook(lambda module, grad_input, _: (grad_input[0] * 2,))
    net.classifier[1].register_full_backward_pre_hook(lambda module, grad: (grad[0] + 1,))
    net.classifier[3].weight.register_hook(lambda grad: grad * 3)
    return lambda: net(x).sum()


def resnet() -> Make:
    """Return a small ResNet without hooks."""
    torch.manual_seed(0)
    net, x = ResNet(), torch.randn(2, 1, 4, 4)
    return lambda: net(x).sum()


NETS: dict[str, Callable[[], Make]] = {"SumNet": sum_net, "LeNet": lenet, "ResNet": resnet}
