"""Prices as providers, market places and data sets list them: one module per source."""
