"""Build the networks that are measured; all weights random, no data, no downloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - PyTorch's own convention


class LeNet(nn.Module):
    """The network of tutorial 04: two convolutions, three linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take `(batch, 3, 32, 32)`, return `(batch, 10)`."""
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(x.size(0), -1)
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        out: torch.Tensor = self.fc3(x)
        return out


class Bottleneck(nn.Module):
    """A residual block of three convolutions, the middle one 3 by 3."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = width * 4
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Keep the batch, change channels and perhaps halve the picture."""
        out = F.relu(self.bn1(self.conv1(x)))
        out = F.relu(self.bn2(self.conv2(out)))
        return F.relu(self.bn3(self.conv3(out)) + self.shortcut(x))


class ResNet(nn.Module):
    """A residual network; `blocks=(3, 4, 6, 3)` has the shape of ResNet-50."""

    def __init__(self, blocks: tuple[int, ...]) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        channels = 64
        layers = []
        for stage, count in enumerate(blocks):
            width = 64 * 2**stage
            parts = []
            for index in range(count):
                parts.append(Bottleneck(channels, width, 2 if stage and index == 0 else 1))
                channels = width * 4
            layers.append(nn.Sequential(*parts))
        self.layer1, self.layer2, self.layer3, self.layer4 = layers
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take `(batch, 3, height, width)`, return `(batch, 1000)`."""
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        out: torch.Tensor = self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))
        return out


class HandWrittenLSTM(nn.Module):
    """An LSTM cell written out by hand, one step after the other, without any inner module."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.weight_ih = nn.Parameter(torch.randn(4 * size, inputs) * 0.1)
        self.weight_hh = nn.Parameter(torch.randn(4 * size, size) * 0.1)
        self.bias_ih = nn.Parameter(torch.zeros(4 * size))
        self.bias_hh = nn.Parameter(torch.zeros(4 * size))
        self.size = size

    def forward(self, xs: torch.Tensor) -> torch.Tensor:
        """Take `(steps, batch, inputs)`, return `(batch, size)`."""
        h = c = torch.zeros(xs.size(1), self.size)
        for x in xs:
            gates = x @ self.weight_ih.t() + self.bias_ih + h @ self.weight_hh.t() + self.bias_hh
            i, f, g, o = gates.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h


class Transformer(nn.Module):
    """Tokens in, logits out, with `layers` encoder layers of PyTorch's own in between."""

    def __init__(self, layers: int, size: int = 64) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(size, 4, 2 * size, batch_first=True)
        self.embed = nn.Embedding(100, size)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(size, 100)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Take `(batch, length)`, return `(batch, length, 100)`."""
        out: torch.Tensor = self.head(self.encoder(self.embed(tokens)))
        return out


@dataclass(frozen=True, slots=True)
class Case:
    """A loss to measure; `build` runs the forward and returns it.

    Attributes:
        name: What it is.
        build: Runs the forward.
        model, x: What `build` calls, and with what, where it is a module.
    """

    name: str
    build: Callable[[], torch.Tensor]
    model: nn.Module | None = None
    x: torch.Tensor | None = None


def of_model(name: str, model: nn.Module, x: torch.Tensor) -> Case:
    """Return the sum of what a model gives as a case."""
    return Case(name, lambda: model(x).sum(), model, x)


def lenet(batch: int = 4) -> Case:
    """LeNet on pictures of 32 by 32."""
    torch.manual_seed(0)
    return of_model(f"LeNet, batch {batch}", LeNet(), torch.randn(batch, 3, 32, 32))


def resnet50(batch: int = 2, size: int = 224) -> Case:
    """The shape of ResNet-50, 337 nodes."""
    torch.manual_seed(0)
    x = torch.randn(batch, 3, size, size)
    return of_model(f"ResNet-50-like, batch {batch}, {size} px", ResNet((3, 4, 6, 3)), x)


def resnet152(batch: int = 1, size: int = 64) -> Case:
    """The shape of ResNet-152."""
    torch.manual_seed(0)
    x = torch.randn(batch, 3, size, size)
    return of_model(f"ResNet-152-like, batch {batch}, {size} px", ResNet((3, 8, 36, 3)), x)


def transformer(layers: int = 12) -> Case:
    """A transformer of encoder layers."""
    torch.manual_seed(0)
    x = torch.randint(0, 100, (2, 10))
    return of_model(f"transformer, {layers} layers", Transformer(layers), x)


def lstm(steps: int) -> Case:
    """An LSTM written out by hand."""
    torch.manual_seed(0)
    return of_model(
        f"LSTM by hand, {steps} steps", HandWrittenLSTM(8, 16), torch.randn(steps, 2, 8)
    )


def chain(length: int) -> Case:
    """A chain of multiplications of one number."""
    x = torch.tensor(1.0, requires_grad=True)

    def build() -> torch.Tensor:
        y = x
        for _ in range(length):
            y = y * 1.0001
        return y

    return Case(f"chain of {length:,}", build)
