"""The page writer that components and pages use, with its data, links, numbers, names, glossary terms, escaping and search."""
