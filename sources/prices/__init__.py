"""Prices as providers, marketplaces and data sets list them: one module per source."""
