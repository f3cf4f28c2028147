"""Recurrent networks: a language model of LSTM layers, and a bidirectional tagger."""

import torch
from torch import nn


class LSTMModel(nn.Module):
    """Embedding, LSTM layers, one class per token; its forward pass returns the loss."""

    def __init__(self, *, words: int, classes: int, width: int, layers: int, bidirectional: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.recur = nn.LSTM(width, width, layers, batch_first=True, bidirectional=bidirectional)
        self.classify = nn.Linear(width * (2 if bidirectional else 1), classes)

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        states, _ = self.recur(self.embed(input_ids))
        return nn.functional.cross_entropy(self.classify(states).flatten(0, 1), labels.flatten())
