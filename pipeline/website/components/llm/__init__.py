"""The part of the recommendation form for language models: its data, its form and its first answer."""
