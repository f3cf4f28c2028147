-- title: File of a source, whatever the day
-- description: The place of a stored file in the folder of its source, the same for each fetch of one file. Folders of a date are left out, and a
-- description: date in the name becomes a star. Files of one name in folders of two publishers are two.
-- parameter: path | | Place of the file, as in snapshot
-- returns: | Place of the file
regexp_replace(regexp_replace(path, '^data/raw/[^/]+/|\d{4}-\d{2}-\d{2}(-\d+)?/', '', 'g'), '\d{4}-?\d{2}-?\d{2}', '*')
