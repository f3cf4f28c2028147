-- title: GPUs that finish in time
-- description: Smallest of 1, 2, 4 and 8 GPUs that ends a training within a number of hours, the AutoDL guide's advice being 24. Empty where 8 are
-- description: not enough, or a smaller count fails and the efficiency of a larger one is not known.
-- parameter: hours_on_one | h | Time of the training on one GPU
-- parameter: limit_hours | h | Time that there is
-- parameter: efficiency_2 | fraction | Throughput of 2 GPUs over twice that of one
-- parameter: efficiency_4 | fraction | The same of 4
-- parameter: efficiency_8 | fraction | The same of 8
-- returns: | GPUs
CASE
    WHEN hours_on_one <= limit_hours THEN 1
    WHEN hours_on_one <= limit_hours * 2 * efficiency_2 THEN 2
    WHEN hours_on_one <= limit_hours * 4 * efficiency_4 THEN 4
    WHEN hours_on_one <= limit_hours * 8 * efficiency_8 THEN 8
END
