"""One training step of a model: forward, backward, optimizer; in full or mixed precision, on random data."""

import torch
from torch import nn

from benchmarks.suite.machine.precision import autocast
from benchmarks.suite.networks.models import Inputs, Model

LEARNING_RATE = 1e-4


class Trainer:
    """A model with its optimizer on one device. `wrap` may distribute it over several (data parallel)."""

    def __init__(self, model: Model, precision: str, device: torch.device, *, tiny: bool) -> None:
        self.model, self.precision, self.device, self.tiny = model, precision, device, tiny
        with device:
            network = model.build(tiny)
        if model.pixels:
            network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stub forgets it
        self.network = network.train()
        self._optimiser = _optimiser(model.optimiser, self.network, device)
        self._scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16")

    def wrap(self, network: nn.Module) -> None:
        """Use this network instead: the same weights, with gradients shared between devices."""
        self.network = network

    def random_batch(self, count: int) -> Inputs:
        return self.model.random_batch(count, self.device, self.tiny)

    def refill(self, inputs: Inputs) -> None:
        """Fill a batch with new random values."""
        self.model.refill(inputs, self.tiny)

    def step(self, inputs: Inputs) -> torch.Tensor:
        """Train on one batch; return the loss, still on the device."""
        loss = self.backward(inputs)
        self._scaler.step(self._optimiser)
        self._scaler.update()
        return loss

    def backward(self, inputs: Inputs) -> torch.Tensor:
        """The loss of one batch; each weight then has its gradient, times `scale`."""
        self._optimiser.zero_grad(set_to_none=True)
        with autocast(self.precision, self.device):
            output = self.network(**inputs)
        loss: torch.Tensor = output if isinstance(output, torch.Tensor) else output.loss
        self._scaler.scale(loss).backward()
        return loss.detach()

    @property
    def scale(self) -> float:
        """Factor of the gradients, which keeps small ones from vanishing in FP16."""
        return self._scaler.get_scale()

    def clear(self) -> None:
        """Release the memory that a step left when it ran out of memory."""
        self._optimiser.zero_grad(set_to_none=True)

    def settings(self) -> dict[str, str]:
        """Settings that must be equal for two figures of training to be comparable."""
        return {
            "model": self.model.name + (" cut down" if self.tiny else ""),
            "input": self.model.shape(self.tiny),
            "precision": self.precision + (" autocast" if self.precision in ("fp16", "bf16") else ""),
            "optimiser": self.model.optimiser,
            "layout": "channels_last" if self.model.pixels else "contiguous",
        }


def _optimiser(kind: str, network: nn.Module, device: torch.device) -> torch.optim.Optimizer:
    """AdamW is fused on CUDA. SGD is not: its fused form spoils the momentum at a step that the scaler skips (torch 2.11)."""
    if kind == "sgd":
        return torch.optim.SGD(network.parameters(), lr=LEARNING_RATE, momentum=0.9)
    return torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, fused=device.type == "cuda")
