"""SE-ResNeXt-101 (32 groups of width 4), in plain torch: no model class of `transformers` has it.

Source: Hu, Shen, Sun, Squeeze-and-Excitation Networks (2018), and Xie et al., Aggregated Residual Transformations (2017).
"""

import torch
from torch import nn

GROUPS, GROUP_WIDTH, EXPANSION, REDUCTION = 32, 4, 4, 16
DEPTHS = (3, 4, 23, 3)
CLASSES = 1000


def _convolution(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    padding = kernel // 2
    return [nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False), nn.BatchNorm2d(outputs)]


class SqueezeExcitation(nn.Module):
    """Scale each channel by a weight computed from the whole image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        squeezed = channels // REDUCTION
        self.weigh = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), nn.ReLU(inplace=True), nn.Conv2d(squeezed, channels, 1),
            nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weighted: torch.Tensor = x * self.weigh(x)
        return weighted


class Block(nn.Module):
    """A bottleneck with a grouped convolution and squeeze-and-excitation, added to its input."""

    def __init__(self, inputs: int, planes: int, stride: int) -> None:
        super().__init__()
        width, outputs = planes * GROUP_WIDTH * GROUPS // 64, planes * EXPANSION
        self.body = nn.Sequential(
            *_convolution(inputs, width, 1),
            nn.ReLU(inplace=True),
            *_convolution(width, width, 3, stride, GROUPS),
            nn.ReLU(inplace=True),
            *_convolution(width, outputs, 1),
            SqueezeExcitation(outputs),
        )
        changes = stride != 1 or inputs != outputs
        self.shortcut = nn.Sequential(*_convolution(inputs, outputs, 1, stride)) if changes else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.shortcut(x))


class SEResNeXt(nn.Module):
    """The classifier; its forward pass returns the loss, as the classes of `transformers` do."""

    def __init__(self, depths: tuple[int, ...] = DEPTHS) -> None:
        super().__init__()
        layers = [*_convolution(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        inputs = 64
        for stage, depth in enumerate(depths):
            planes = 64 * 2**stage
            for place in range(depth):
                layers.append(Block(inputs, planes, 2 if stage and not place else 1))
                inputs = planes * EXPANSION
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, CLASSES))

    def forward(self, pixel_values: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(self.layers(pixel_values), labels)
