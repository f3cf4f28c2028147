-- title: Decimals of a number
-- description: Decimals that a number has when written without trailing zeros.
-- parameter: x | | Number
-- returns: | Decimals
length(split_part(x::DOUBLE::VARCHAR, '.', 2)) - (x = floor(x))::INTEGER
