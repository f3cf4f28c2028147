"""Fetching and storing snapshots: HTTP client, checks of responses, and sidecars."""
