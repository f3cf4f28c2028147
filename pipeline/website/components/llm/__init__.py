"""The part of the chooser for language models: its data, its form and its first answer."""
