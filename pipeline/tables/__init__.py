"""Tables of the working database: rows of sources loaded, results of models inserted, SQL computed; and their lineage."""
