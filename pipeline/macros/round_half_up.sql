-- title: Round half up
-- description: A value rounded to a number of decimals as by hand: halves go away from zero.
-- description: The value is brought to 8 further decimals first, so that 2.675, which no binary number equals, becomes 2.68.
-- parameter: x | | Value, below a thousand million
-- parameter: decimals | | Decimals to keep, 0 to 9; -1 rounds to tens
-- returns: | Rounded value, a double
sign(x) * floor((abs(x) * power(10, decimals))::DECIMAL(38, 8) + 0.5)::DOUBLE / power(10, decimals)
