"""Languages of the site: catalogs, and the messages of templates, scripts and documents."""
