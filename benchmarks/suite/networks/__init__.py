"""Networks to train, one training step, and the check of its result."""
