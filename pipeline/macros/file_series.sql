-- title: File of a source, whatever the day
-- description: The name of a stored file without folders with a star for a date in it: the same for each fetch of one file.
-- parameter: path | | Place of the file, as in snapshot
-- returns: | Name of the file
regexp_replace(regexp_extract(path, '[^/]+$'), '\d{4}-?\d{2}-?\d{2}', '*')
