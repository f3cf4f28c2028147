"""The recommendation form and its data."""
