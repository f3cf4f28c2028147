"""Running out of memory as a result: how it is recognised, and how the memory is given back."""

import gc

import torch

_SIGNS = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "can't allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that something did not fit; libraries beside torch's allocator say so in words."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(sign in str(error) for sign in _SIGNS)


def give_back(device: torch.device) -> None:
    """Free what no tensor uses any more. Call it after the except block, whose error holds the frames that hold the tensors."""
    if device.type == "cuda":
        gc.collect()
        torch.cuda.empty_cache()


def free_bytes(device: torch.device) -> int | None:
    """Memory free on a CUDA device, bytes; None on a processor, whose memory is not what is measured."""
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else None
