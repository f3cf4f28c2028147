"""Pages of the five guides, each with its tables and current figures."""
