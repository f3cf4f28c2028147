"""Specifications of cards: our own compiled table, and what outside sources state for each value."""
