"""Sources of language models: configurations, and measured inference."""
