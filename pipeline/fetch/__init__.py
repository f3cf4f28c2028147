"""Fetching and storing snapshots: HTTP client, response checks, sidecars and the build lock."""
