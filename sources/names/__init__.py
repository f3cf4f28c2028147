"""What cards are called in the sources."""
