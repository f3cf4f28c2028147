"""The command `recommend`."""
