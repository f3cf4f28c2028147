"""The published GPU guides: each module reads the figures transcribed from one guide, as the guide prints them."""
