"""The command that publishes releases elsewhere."""
