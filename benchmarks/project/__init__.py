"""Benchmarks of this project itself: builds, prices, long histories, uploads, requests over HTTP, faults, parsers."""
