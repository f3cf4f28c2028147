-- title: Decimals for two digits
-- description: Decimals that show two significant digits of a number: 1 for 1.5, 4 for 0.0039, 0 from 10 on.
-- parameter: x | | Number
-- returns: | Decimals, 0 for zero
CASE WHEN x = 0 THEN 0 ELSE greatest(0, 1 - floor(log10(abs(x))))::INTEGER END
