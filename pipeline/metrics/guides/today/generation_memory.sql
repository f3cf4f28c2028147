-- title: Memory of professional and consumer GPUs by generation
-- description: One row per NVIDIA architecture since 2016 with both kinds of boards: the consumer GPU and the workstation GPU with the most memory
-- description: (of equal ones the fastest in FP32). It has the ratios of their memory, FP32 rate, power and launch price. It applies the
-- description: pro-versus-consumer guide's rule that a professional GPU has about twice the memory at the same speed and no more power.
-- group: systems
-- column: architecture | | Architecture
-- column: consumer_gpu_id | | Consumer GPU with the most memory
-- column: consumer_name | | Name of the consumer GPU
-- column: consumer_gb | GB | Memory of the consumer GPU
-- column: professional_gpu_id | | Workstation GPU with the most memory
-- column: professional_name | | Name of the professional GPU
-- column: professional_gb | GB | Memory of the professional GPU
-- column: memory_ratio | ratio | Professional over consumer memory
-- column: fp32_ratio | ratio | Professional over consumer FP32 rate
-- column: power_ratio | ratio | Professional over consumer power limit
-- column: launch_price_ratio | ratio | Professional over consumer launch price
-- column: released | | Day on which the later of the two shipped
-- unique: architecture
-- check: memory_ratio > 0
WITH first AS (
    FROM gpu
    WHERE vendor = 'NVIDIA' AND segment IN ('consumer', 'workstation') AND slot_width IS NOT NULL AND release_date >= DATE '2016-01-01'
    QUALIFY row_number() OVER (PARTITION BY architecture, segment ORDER BY memory_gb DESC, fp32_tflops DESC NULLS LAST, gpu_id) = 1
)
SELECT
    c.architecture,
    c.gpu_id AS consumer_gpu_id,
    c.name AS consumer_name,
    c.memory_gb AS consumer_gb,
    p.gpu_id AS professional_gpu_id,
    p.name AS professional_name,
    p.memory_gb AS professional_gb,
    p.memory_gb / c.memory_gb AS memory_ratio,
    p.fp32_tflops / c.fp32_tflops AS fp32_ratio,
    p.tdp_w / c.tdp_w AS power_ratio,
    p.launch_msrp_usd / c.launch_msrp_usd AS launch_price_ratio,
    greatest(p.release_date, c.release_date) AS released
FROM first AS c
JOIN first AS p ON p.architecture = c.architecture AND (c.segment, p.segment) = ('consumer', 'workstation')
