"""Correctness of a training step: loss and gradient of a reduced model, compared with float64 on the processor."""

import copy

import torch
from torch import nn

from benchmarks.suite.networks.models import Inputs, Model
from benchmarks.suite.networks.training import Trainer

ITEMS = 16  # batch normalization over fewer would be ill-conditioned
# Largest relative error of the gradient of all weights (Euclidean norm), and of the loss.
TOLERANCES = {"fp32": 0.02, "tf32": 0.3, "fp16": 0.3, "bf16": 0.5}
_AS_IN_TRAINING = (nn.modules.batchnorm._BatchNorm, nn.RNNBase)


def relative_errors(trainer: Trainer) -> tuple[float, float]:
    """Relative errors of the loss and of the gradient, without dropout, which is random. Do not use the trainer afterwards."""
    inputs = trainer.random_batch(ITEMS)
    _without_dropout(trainer.network)
    exact = copy.deepcopy(trainer.network).cpu().double()
    loss, gradient = float(trainer.backward(inputs)), _gradient(trainer.network) / trainer.scale
    output = exact(**_double(inputs))
    exact_loss = output if isinstance(output, torch.Tensor) else output.loss
    exact_loss.backward()
    off = torch.linalg.vector_norm(gradient - _gradient(exact)) / torch.linalg.vector_norm(_gradient(exact))
    return abs(loss / float(exact_loss.detach()) - 1), float(off)


def is_correct_step(model: Model, precision: str, device: torch.device) -> bool:
    """Return whether a step of the reduced model on the device agrees with float64 within the precision's tolerance."""
    errors = relative_errors(Trainer(model, precision, device, tiny=True))
    return all(error <= TOLERANCES[precision] for error in errors)  # false for NaN too


def _without_dropout(network: nn.Module) -> None:
    network.eval()
    for module in network.modules():
        if isinstance(module, _AS_IN_TRAINING):
            module.train()


def _gradient(network: nn.Module) -> torch.Tensor:
    """Gradients of all weights in one row, float64 on the processor."""
    return torch.cat([w.grad.detach().cpu().double().flatten() for w in network.parameters() if w.grad is not None])


def _double(inputs: Inputs) -> Inputs:
    return {name: values.cpu().double() if values.is_floating_point() else values.cpu() for name, values in inputs.items()}
