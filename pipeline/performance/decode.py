"""Speed of generating text with a large language model, one request at a time: led by memory bandwidth.

Every token reads all weights once, so that speed cannot exceed bandwidth over the bytes of the model. The training
index is never used here. The committed data hold no measurement of decoding by card: the index is the bandwidth
ratio, a prediction, and has no interval because nothing in the data says how far off it is.
"""

NOTE = "bandwidth ratio; no interval: the data hold no decoding measurements to take one from"


def decode_index(bandwidth_gb_per_s: float, reference_gb_per_s: float) -> float:
    """Decoding speed against the reference card, batch of one: the ratio of memory bandwidths (both GB/s)."""
    return bandwidth_gb_per_s / reference_gb_per_s
