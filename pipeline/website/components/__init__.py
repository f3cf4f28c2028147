"""Building blocks that several kinds of pages share."""
