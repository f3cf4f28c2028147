"""Price normalization: GPU labels, currencies and units, and the rules that reject a price."""
