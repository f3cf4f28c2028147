"""The page writer that components and pages use, with its data, links, numbers, glossary terms, escaping and search."""
