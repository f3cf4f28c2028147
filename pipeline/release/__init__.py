"""Files of a release: database, exports, descriptions, terms, and their publication."""
