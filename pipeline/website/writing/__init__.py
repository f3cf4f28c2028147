"""What components and pages are written with: the page writer, its data, links, numbers, glossary terms, escaping, search."""
