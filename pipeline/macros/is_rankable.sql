-- title: Certain enough for a rank
-- description: Measured, or predicted with a 90% interval that spans no more than a factor of 2. Empty for a prediction without an interval.
-- parameter: basis | | measured or predicted
-- parameter: low | | Low end of the interval
-- parameter: high | | High end
-- returns: | Whether a speed or time may have a rank
basis = 'measured' OR (basis = 'predicted' AND high <= 2 * low)
