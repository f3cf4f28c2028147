"""Running out of memory as a result: recognize it, and release the memory."""

import gc

import torch

_SIGNS = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "can't allocate memory", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that something did not fit; other libraries than torch state it in the message."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(sign in str(error) for sign in _SIGNS)


def release_memory(device: torch.device) -> None:
    """Free the memory of unused tensors. Call it after the except block, where the error still refers to the tensors."""
    if device.type == "cuda":
        gc.collect()
        torch.cuda.empty_cache()


def free_bytes(device: torch.device) -> int | None:
    """Free memory of a CUDA device, bytes; None on a processor, whose memory is not measured."""
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else None
