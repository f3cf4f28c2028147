"""Languages of the site: messages of templates, scripts and documents. Their translations are in `site/languages/`."""
