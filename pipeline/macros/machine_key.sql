-- title: Key of a machine's name
-- description: Sources write the name of a machine type with other signs between its parts, and Azure's with or without the prefix of all its
-- description: sizes. For example, `NC24ads A100 v4` and `Standard_NC24ads_A100_v4` are one machine.
-- parameter: name | | Name of the machine, as a source writes it
-- returns: | Letters and digits of the name in lower case
regexp_replace(regexp_replace(lower(name), '[^a-z0-9]', '', 'g'), '^standard', '')
