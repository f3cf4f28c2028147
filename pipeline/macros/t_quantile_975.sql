-- title: Half width of a 95% interval in standard errors
-- description: The 97.5% quantile of Student's t, by the expansion of Cornish and Fisher about the normal quantile (Abramowitz and Stegun 26.7.5).
-- description: Its error is below 0.3% from four degrees of freedom up.
-- parameter: degrees | | Degrees of freedom
-- returns: | The quantile
1.959964 + (1.959964 ^ 3 + 1.959964) / (4 * degrees)
+ (5 * 1.959964 ^ 5 + 16 * 1.959964 ^ 3 + 3 * 1.959964) / (96 * degrees ^ 2)
+ (3 * 1.959964 ^ 7 + 19 * 1.959964 ^ 5 + 17 * 1.959964 ^ 3 - 15 * 1.959964) / (384 * degrees ^ 3)
