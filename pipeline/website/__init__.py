"""The static site: pages, charts, languages, search and the MkDocs build."""
