-- title: Statements that are lists of figures
-- description: One row per statement that summarizes published figures: each of its parts is true where the audit agrees with the figure.
-- group: audit
-- column: claim_id | | Statement
-- column: parts | | Truth of each part; empty where the figure cannot be recomputed
-- column: arithmetic | | Each figure as printed and as recomputed
-- unique: claim_id
WITH part(claim_id, place, figure_id) AS (
    VALUES
        ('c01', 1, 'pro-vs-consumer-2023/EfficientNet B0, 2x RTX 6000 Ada over GTX 1070/speedup'),
        ('c01', 2, 'pro-vs-consumer-2023/EfficientNet B3, 2x RTX 6000 Ada over GTX 1070/speedup'),
        ('c01', 3, 'pro-vs-consumer-2023/EfficientNet B7, 2x RTX 6000 Ada over GTX 1070/speedup'),
        ('c02', 1, 'pro-vs-consumer-2023/EfficientNet B7, GTX 1070/epoch_minutes'),
        ('c02', 2, 'pro-vs-consumer-2023/EfficientNet B7, 2x RTX 6000 Ada/epoch_minutes_above'),
        ('c02', 3, 'pro-vs-consumer-2023/400 epochs of EfficientNet B7, GTX 1070/training_days'),
        ('c02', 4, 'pro-vs-consumer-2023/400 epochs of EfficientNet B7, 2x RTX 6000 Ada/training_hours'),
        ('c04', 1, 'pro-vs-consumer-2023/RTX 4090 over RTX 6000 Ada/power_increase_percent'),
        ('c04', 2, 'pro-vs-consumer-2023/RTX 4090 over RTX 6000 Ada/memory_ratio'),
        ('d04', 1, 'dettmers-2020/desktop against AWS V100 spot at 15% utilisation/break_even_days'),
        ('d06', 1, 'dettmers-2020/SE-ResNeXt101, A100 over V100/corrected_speedup'),
        ('d06', 2, 'dettmers-2020/Mask R-CNN, A100 over V100/corrected_speedup'),
        ('d06', 3, 'dettmers-2020/Transformer WMT14 en-de, A100 over V100/corrected_speedup'),
        ('d07', 1, 'dettmers-2020/CNN, A100/scaling_1_to_8'),
        ('d07', 2, 'dettmers-2020/CNN, V100/scaling_1_to_8'),
        ('d07', 3, 'dettmers-2020/CNN, 8x A100 over 8x V100/multi_gpu_advantage_percent')
)
SELECT
    p.claim_id,
    list(a.agrees ORDER BY p.place) AS parts,
    string_agg(
        concat(
            a.subject, ', ', replace(a.quantity, '_', ' '), ': ', a.published_text, ' printed, ',
            coalesce(number_text(round_half_up(a.recomputed, 2)) || ' recomputed (' || a.formula || ')', 'not recomputed: ' || a.note)
        ), '; ' ORDER BY p.place
    ) AS arithmetic
FROM part AS p
LEFT JOIN audit AS a USING (figure_id)
GROUP BY p.claim_id
