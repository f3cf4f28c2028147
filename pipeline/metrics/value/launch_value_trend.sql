-- title: Trend of compute and memory per launch dollar
-- description: One row per measure and segment of launch_value: the line by least squares of the binary logarithm over the release date, with the
-- description: years in which the value doubles. GPUs of one architecture resemble each other, so the standard error is clustered by architecture:
-- description: the sum of squares of each architecture's score, times G/(G - 1). The 95% interval has G - 1 degrees of freedom. Only groups of at
-- description: least ten GPUs and five architectures are fitted.
-- group: performance
-- column: measure | | compute (GFLOPS of FP32 per USD) or memory (GB per 1,000 USD)
-- column: segment | | Market the GPUs are sold to
-- column: n_gpus | | GPUs
-- column: n_architectures | | Architectures
-- column: first_release | | First release date
-- column: last_release | | Last release date
-- column: log2_at_2015 | | Binary logarithm of the value on the line at the start of 2015
-- column: doublings_per_year | 1/year | Doublings of the value per year: the slope of the trend line
-- column: doublings_per_year_low | 1/year | Low end of the 95% interval of doublings_per_year
-- column: doublings_per_year_high | 1/year | High end of the 95% interval of doublings_per_year
-- column: doubling_years | year | Years in which the value doubles; empty where it does not rise
-- column: doubling_years_low | year | Years of a doubling at doublings_per_year_high
-- column: doubling_years_high | year | Years of a doubling at doublings_per_year_low; empty where that is not above zero
-- column: r2 | fraction | Share of the variance that the line explains
-- unique: measure, segment
-- check: doublings_per_year_low <= doublings_per_year AND doublings_per_year <= doublings_per_year_high
-- check: r2 BETWEEN 0 AND 1
WITH
point AS (SELECT *, years_since_2015(release_date) AS x, log2(per_usd) AS y FROM _launch_value),
fit AS (
    SELECT measure, segment, count(*) AS n_gpus, count(DISTINCT architecture) AS n_architectures, min(release_date) AS first_release,
        max(release_date) AS last_release, regr_intercept(y, x) AS log2_at_2015, regr_slope(y, x) AS doublings_per_year,
        regr_sxx(y, x) AS sxx, avg(x) AS mean_x, regr_r2(y, x) AS r2
    FROM point
    GROUP BY measure, segment
    HAVING count(*) >= 10 AND count(DISTINCT architecture) >= 5
),
score AS (
    SELECT p.measure, p.segment, sum((p.x - f.mean_x) * (p.y - f.log2_at_2015 - f.doublings_per_year * p.x)) AS score
    FROM point AS p
    JOIN fit AS f USING (measure, segment)
    GROUP BY p.measure, p.segment, p.architecture
),
error AS (
    SELECT f.*, t_quantile_975(n_architectures - 1) * sqrt(s.squares * n_architectures / (n_architectures - 1)) / f.sxx AS half
    FROM fit AS f
    JOIN (SELECT measure, segment, sum(score ^ 2) AS squares FROM score GROUP BY measure, segment) AS s USING (measure, segment)
)
SELECT measure, segment, n_gpus, n_architectures, first_release, last_release, log2_at_2015, doublings_per_year,
    doublings_per_year - half AS doublings_per_year_low, doublings_per_year + half AS doublings_per_year_high,
    CASE WHEN doublings_per_year > 0 THEN 1 / doublings_per_year END AS doubling_years,
    CASE WHEN doublings_per_year + half > 0 THEN 1 / (doublings_per_year + half) END AS doubling_years_low,
    CASE WHEN doublings_per_year - half > 0 THEN 1 / (doublings_per_year - half) END AS doubling_years_high,
    r2
FROM error
