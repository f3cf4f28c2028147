-- title: Certain enough for a rank among language models
-- description: Measured, or predicted with a 90% interval that spans no more than a factor of 2.5. The limit is wider than that of is_rankable, since most intervals for
-- description: 64 requests at a time span more than 2: with that limit, only measured GPUs would have a rank there.
-- parameter: basis | | measured or predicted
-- parameter: low | | Low end of the interval
-- parameter: high | | High end
-- returns: | Whether a speed may have a rank
basis = 'measured' OR (basis = 'predicted' AND high <= 2.5 * low)
