-- title: Flags without one of them
-- description: The codes of a row without one code.
-- parameter: flags | | Codes, comma-separated; empty = none
-- parameter: code | | Code to leave out
-- returns: | The other codes, comma-separated; empty = none
nullif(trim(replace(concat(',', flags, ','), concat(',', code, ','), ','), ','), '')
