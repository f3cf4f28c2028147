-- title: Number as text
-- description: A number with up to 6 significant digits and no trailing zeros, for formulas that a person reads.
-- parameter: x | | Number
-- returns: | Text
format('{:.6g}', x::DOUBLE)
