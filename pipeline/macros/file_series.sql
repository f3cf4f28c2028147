-- title: File of a source, whatever the day
-- description: The place of a stored file in the folder of its source, without folders of a date and with a star for a date in the name: the same for
-- description: each fetch of one file. Files of one name in folders of two publishers are two.
-- parameter: path | | Place of the file, as in snapshot
-- returns: | Place of the file
regexp_replace(regexp_replace(path, '^data/raw/[^/]+/|\d{4}-\d{2}-\d{2}(-\d+)?/', '', 'g'), '\d{4}-?\d{2}-?\d{2}', '*')
