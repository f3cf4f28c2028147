"""Exchange rates, and the carbon dioxide of electricity."""
