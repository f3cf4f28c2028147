-- title: GPUs ranked for each question
-- description: One row per question and GPU: its rank, or the first limit that it does not meet. Questions are the rows of `scenario`; the command
-- description: `recommend` puts a reader's question in their place and runs the same statement. Time comes from workload_time, over the requested
-- description: number of GPUs and their scaling efficiency. That is the one of the link in gpu_interconnect, from scaling_efficiency at the next of
-- description: 2, 4 and 8 GPUs. It is not known above 8, nor where its interval spans more than a factor of 2; one without an interval counts.
-- description: Workload memory-bandwidth adds up over GPUs that each work alone. The offer is the first by preference, then price, of offer_current
-- description: on the requested terms. One that does not state the variant counts as the weakest that it can be. A spot or marketplace offer counts
-- description: for several GPUs only if it states a number, as independent hosts often have one. Current prices count (of a purchase:
-- description: is_current_purchase). Others do if the question asks for older prices, those of rentals only where no GPU that meets every limit has
-- description: a current one. The reason then says how old the price is. A GPU whose predicted time is too wide for a rank (is_rankable) has no
-- description: rank. A GPU is on the front (`is_pareto_optimal`) if no other that is left is at least as fast and as cheap, and better in one.
-- description: Ranks follow the question's objective: `cheapest` per result, `fastest`, `memory`, or `memory_per_usd` (of one GPU). Rented GPUs are
-- description: cheapest by USD per run, GPUs to buy by price times the time of a run. That price is of the machine with its GPUs. Where a price of
-- description: electricity is asked, it includes the electricity of the hours, else of one run. Power is that of machine_w.
-- group: performance
-- as-in: offer_current | observation_id, provider, billing
-- column: scenario_id | | Question in scenario
-- column: gpu_id | | GPU
-- column: rank | | Rank, 1 = best; empty where a limit is not met, and for an unranked GPU
-- column: is_pareto_optimal | | Whether no other choice is both faster and cheaper for the same work; empty where there is no rank
-- column: name | | Name of the GPU
-- column: memory_gb | GB | Memory of one GPU
-- column: basis | | Whether the time is measured or predicted
-- column: seconds | s | Time of one run on all GPUs; of a kind of network, of the work that an RTX 2080 Ti does in one hour
-- column: seconds_low | s | Low end of the 90% interval of seconds
-- column: seconds_high | s | High end of the 90% interval of seconds
-- column: price_kind | | What is paid for
-- column: commitment_months | month | Term of the commitment that the price needs; empty without one
-- column: price_usd | USD/(GPU·h) or USD/GPU | Price of one GPU: of an hour, or to own
-- column: price_date | | Last day on which the price was seen
-- column: stale | | Whether it is stale at the build's as_of
-- column: cost_usd | USD | Rented: cost of one run; bought: price of the GPUs
-- column: cost_usd_low | USD | Cost at the low end of the time; empty for a purchase
-- column: cost_usd_high | USD | Cost at its high end; empty for a purchase
-- column: system_usd | USD | Bought: price of the machine with its GPUs; empty for a rental
-- column: electricity_usd | USD | Bought: electricity of the machine in the hours of work, else in one run; empty without a price of electricity
-- column: unranked | | Whether the GPU meets every limit and has no rank because the 90% interval of its predicted time spans more than a factor of 2
-- column: reason | | Trade-off, or the first limit that is not met, or why the GPU is unranked
-- unique: scenario_id, gpu_id
-- check: (rank IS NULL) = (is_pareto_optimal IS NULL)
-- check: rank IS NULL OR cost_usd > 0
-- check: rank IS NULL OR basis = 'measured' OR seconds_low IS NULL OR seconds_high <= 2 * seconds_low
-- check: NOT (unranked AND rank IS NOT NULL)
WITH
asked AS (
    SELECT *, CASE WHEN gpus <= 2 THEN 2 WHEN gpus <= 4 THEN 4 WHEN gpus <= 8 THEN 8 END AS scaled_gpus,
        CASE WHEN gpus > 4 THEN 8 ELSE scaled_gpus - (gpus = 1)::INTEGER END AS base_gpus
    FROM scenario
),
-- of each GPU: the offer that comes first among those small enough, and the smallest number of GPUs of all
on_terms AS (
    SELECT
        a.scenario_id,
        o.least_gpu_id AS gpu_id,
        arg_min(o.observation_id, (o.preference, o.usd, o.price_rank)) FILTER (
            coalesce(o.min_gpus <= a.gpus, a.gpus = 1 OR o.billing IS NULL OR o.billing NOT IN ('spot', 'marketplace'))) AS first_offer,
        min(o.min_gpus) AS least_min_gpus
    FROM asked AS a
    JOIN offer_current AS o ON o.acquisition = a.acquisition
    WHERE (a.provider IS NULL OR o.provider = a.provider)
        AND (a.acquisition = 'buy' OR list_contains(string_split(a.billing, ','), o.billing))
    GROUP BY a.scenario_id, o.least_gpu_id
),
host AS (
    SELECT max(value) FILTER (assumption_id = 'host_w') AS host_w, max(value) FILTER (assumption_id = 'gpus_per_host_w') AS gpus_per_host_w
    FROM assumption
),
candidate AS (
    SELECT
        a.*, g.gpu_id, g.name, g.vendor AS gpu_vendor, g.segment, g.memory_gb, g.tdp_w, g.slot_width, g.min_cuda_version, g.max_cuda_version, is_module(g.slot_width, g.form_factor) AS is_module, is_alone_in_machine(g.form_factor, g.architecture) AS is_alone,
        w.kind AS workload_kind, m.ran_memory_gb, w.status, w.basis, w.seconds AS seconds_on_one, w.seconds_low / w.seconds AS low, w.seconds_high / w.seconds AS high,
        CASE WHEN a.gpus = 1 OR w.kind = 'specification' THEN 1 ELSE e.efficiency END AS efficiency,
        a.gpus > 1 AND w.kind <> 'specification' AND e.ci_high > 2 * e.ci_low AS is_scaling_wide, e.ci_low, e.ci_high,
        o.observation_id, o.provider AS seller, o.kind AS price_kind, o.billing AS terms, o.commitment_months, o.usd AS price_usd, o.price_date, o.stale, o.in_purchase_range, o.gpu_id IS NULL AS open_variant, n.least_min_gpus, n.gpu_id IS NOT NULL AS is_offered,
        a.gpus * o.usd AS gpus_usd,
        CASE WHEN a.acquisition = 'buy' THEN a.gpus * o.usd + b.base_cost_usd * ceil(a.gpus / 8) END AS system_usd,
        machine_w(a.gpus, g.tdp_w, h.host_w, h.gpus_per_host_w) / 1000 AS machine_kw
    FROM asked AS a
    CROSS JOIN gpu AS g
    CROSS JOIN host AS h
    LEFT JOIN workload_time AS w ON (w.workload, w.gpu_id) = (a.workload, g.gpu_id)
    LEFT JOIN workload_memory AS m ON m.workload = a.workload AND a.workload IN (SELECT workload FROM workload_time WHERE kind IN ('task', 'job'))
    JOIN base_system_cost AS b ON b.gpu_count = a.base_gpus
    LEFT JOIN gpu_interconnect AS l ON l.gpu_id = g.gpu_id
    LEFT JOIN scaling_efficiency AS e
        ON (e.interconnect, e.gpu_count, e.family, e.precision) = (l.interconnect, a.scaled_gpus, w.family, w.precision)
    LEFT JOIN on_terms AS n ON (n.scenario_id, n.gpu_id) = (a.scenario_id, g.gpu_id)
    LEFT JOIN offer_current AS o ON o.observation_id = n.first_offer
),
costed AS (
    SELECT
        *,
        seconds_on_one / (gpus * efficiency) AS seconds,
        coalesce(hours, seconds / 3600) AS paid_hours,
        CASE WHEN acquisition = 'buy' THEN machine_kw * paid_hours * usd_per_kwh END AS electricity_usd,
        gpus_usd * CASE WHEN acquisition = 'rent' THEN paid_hours ELSE 1 END AS outlay_usd,
        CASE WHEN acquisition = 'rent' THEN usd_per_run(gpus_usd, seconds) ELSE gpus_usd END AS cost_usd,
        CASE WHEN acquisition = 'rent' THEN cost_usd ELSE (system_usd + coalesce(electricity_usd, 0)) * seconds END AS per_result,
        workload_kind = 'specification' OR is_rankable(basis, low, high) AS rankable
    FROM candidate
),
assessed AS (
    SELECT
        *,
        CASE
            WHEN status = 'oom' AND basis = 'measured' THEN 'ran out of memory on this workload'
            WHEN status = 'oom' THEN format('{:g} GB of memory: a GPU with that much ran out of memory', memory_gb)
            WHEN memory_gb < min_memory_gb THEN format('{:g} GB of memory, {:g} GB asked for', memory_gb, min_memory_gb)
            WHEN min_memory_gb IS NOT NULL AND memory_gb IS NULL THEN 'its memory is not known'
            WHEN data_centre AND bars_data_centers(gpu_vendor, segment)
                THEN 'the vendor''s driver licence does not allow GeForce and Titan in data centers'
            WHEN lower(gpu_vendor) <> lower(vendor) THEN format('made by {}, {} asked for', gpu_vendor, vendor)
            WHEN min_cuda IS NOT NULL AND min_cuda_version IS NULL THEN 'not known to support CUDA'
            WHEN string_split(min_cuda_version, '.')::INTEGER[] > string_split(min_cuda, '.')::INTEGER[]
                THEN format('needs CUDA {}, {} at hand', min_cuda_version, min_cuda)
            WHEN string_split(min_cuda, '.')::INTEGER[] > string_split(max_cuda_version, '.')::INTEGER[]
                AND NOT starts_with(min_cuda || '.', max_cuda_version || '.')
                THEN format('runs CUDA up to {}, {} at hand', max_cuda_version, min_cuda)
            WHEN max_slots IS NOT NULL AND is_module THEN 'a module, which no slot takes'
            WHEN max_slots IS NOT NULL AND slot_width IS NULL THEN 'how many slots it covers is not known'
            WHEN max_gpus_in_slots(max_slots / 2, slot_width) < gpus
                THEN format('{:g} slots wide: {} x it do not fit {:g} slots', slot_width, gpus, max_slots)
            WHEN gpus > 1 AND is_alone THEN 'a machine has only one of it'
            WHEN max_watts IS NOT NULL AND tdp_w IS NULL THEN 'its power limit is not known'
            WHEN gpus * tdp_w > max_watts THEN format('{} x {:g} W = {:g} W, above {:g} W', gpus, tdp_w, gpus * tdp_w, max_watts)
            WHEN acquisition = 'buy' AND usd_per_kwh IS NOT NULL AND tdp_w IS NULL THEN 'its electricity is not known: no power limit is stated'
            WHEN status IS NULL AND memory_gb < ran_memory_gb THEN format('{:g} GB of memory: measured only on GPUs with {:g} GB or more', memory_gb, ran_memory_gb)
            WHEN status IS NULL THEN 'no speed or memory data for this workload'
            WHEN basis = 'predicted' AND high IS NULL AND workload_kind <> 'specification'
                THEN 'prediction too uncertain: no similar GPU was measured'
            WHEN efficiency IS NULL THEN format('scaling to {} GPUs was not measured on a similar GPU', gpus)
            WHEN is_scaling_wide
                THEN format('scaling to {} GPUs is too uncertain: {:.0f}% to {:.0f}% on similar GPUs', gpus, 100 * ci_low, 100 * ci_high)
            WHEN price_usd IS NULL AND acquisition = 'buy' THEN 'no purchase price is known'
            WHEN acquisition = 'buy' AND NOT older_prices AND price_kind = 'msrp'
                THEN format('no purchase price of the past year: the launch price is of {}', price_date)
            WHEN acquisition = 'buy' AND NOT older_prices AND NOT is_current_purchase(price_kind, stale)
                THEN format('no purchase price of the past year: the newest is of {}', price_date)
            WHEN acquisition = 'buy' AND older_prices AND NOT in_purchase_range
                THEN format('its newest price, of {}, is outside the year that this ranking compares', price_date)
            WHEN price_usd IS NULL AND least_min_gpus IS NOT NULL THEN format('only rented as {} GPUs or more', least_min_gpus)
            WHEN price_usd IS NULL AND is_offered THEN 'no offer on these terms states several GPUs'
            WHEN price_usd IS NULL THEN 'no offer on these terms is for this GPU'
            WHEN outlay_usd > budget_usd THEN
                format('{} x {:.2f} USD', gpus, price_usd)
                || CASE WHEN acquisition = 'buy' THEN '' WHEN paid_hours < 1000 THEN format(' x {:.4g} h', paid_hours) ELSE format(' x {:.0f} h', paid_hours) END
                || format(' = {:.2f} USD, above the budget of {:.2f} USD', outlay_usd, budget_usd)
        END AS own_limit
    FROM costed
),
decided AS (
    SELECT
        *,
        bool_or(NOT stale) FILTER (own_limit IS NULL AND rankable) OVER (PARTITION BY scenario_id) AS any_current,
        coalesce(own_limit, CASE WHEN acquisition = 'rent' AND stale AND (any_current OR NOT older_prices) THEN format('no current offer: its newest price is of {}', price_date) END)
            AS limit_missed,
        limit_missed IS NULL AND NOT rankable AS unranked,
        -- of an uncertain time: the largest unit of which its low end has one (two days)
        CASE WHEN seconds * low >= 172800 THEN 'days' WHEN seconds * low >= 3600 THEN 'hours' WHEN seconds * low >= 60 THEN 'minutes' ELSE 'seconds' END AS unit,
        CASE unit WHEN 'days' THEN 86400 WHEN 'hours' THEN 3600 WHEN 'minutes' THEN 60 ELSE 1 END AS unit_s
    FROM assessed
),
fit AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY scenario_id ORDER BY
            CASE objective WHEN 'fastest' THEN seconds WHEN 'memory' THEN -memory_gb WHEN 'memory_per_usd' THEN price_usd / memory_gb ELSE per_result END, per_result, seconds, gpu_id) AS rank,
        seconds / min(seconds) OVER same AS slower,
        per_result / min(per_result) OVER same AS dearer,
        memory_gb = max(memory_gb) OVER same AS most_memory,
        -- cheaper ones that are at least as fast, and faster ones that cost the same
        coalesce(min(per_result) OVER (PARTITION BY scenario_id ORDER BY seconds RANGE UNBOUNDED PRECEDING) < per_result, false)
            OR min(seconds) OVER (PARTITION BY scenario_id, per_result) < seconds AS beaten
    FROM decided
    WHERE limit_missed IS NULL AND NOT unranked
    WINDOW same AS (PARTITION BY scenario_id)
),
explained AS (
    SELECT
        scenario_id, gpu_id, rank, NOT beaten AS is_pareto_optimal,
        concat_ws('; ',
            CASE WHEN objective = 'memory' AND most_memory THEN 'the most memory' END,
            CASE WHEN objective = 'memory_per_usd' AND acquisition = 'rent' THEN format('{:.3g} GB for 1 USD an hour', memory_gb / price_usd)
                WHEN objective = 'memory_per_usd' THEN format('{:.3g} GB for 1000 USD', 1000 * memory_gb / price_usd) END,
            CASE
                WHEN dearer = 1 AND slower = 1 THEN 'the cheapest and the fastest'
                WHEN dearer = 1 THEN 'the cheapest' || word
                WHEN slower = 1 THEN 'the fastest'
                WHEN beaten THEN 'another GPU is faster and cheaper'
                ELSE 'good trade-off'
            END,
            CASE WHEN slower >= 1.005 THEN format('takes {:.2f} times as long as the fastest', slower) END,
            CASE WHEN dearer >= 1.005 THEN format('{:.2f} times the cost of the cheapest{}', dearer, word) END,
            CASE
                WHEN basis = 'predicted' AND high IS NULL THEN 'speed predicted, from memory bandwidth alone'
                WHEN basis = 'predicted' THEN 'speed predicted'
            END,
            format('electricity ${:.2f} in {:g} h', electricity_usd, paid_hours),
            CASE
                WHEN price_kind = 'msrp' THEN format('launch price of {}', price_date)
                WHEN stale THEN format('price of {}, not of today', price_date)
            END,
            format('price with a commitment of {} months', commitment_months),
            CASE WHEN open_variant THEN 'the offer does not state the variant, so it counts as the weakest' END
        ) AS reason
    FROM (SELECT *, CASE WHEN acquisition = 'buy' THEN ' for the same work' ELSE '' END AS word FROM fit)
)
SELECT
    d.scenario_id, d.gpu_id, e.rank, e.is_pareto_optimal, d.name, d.memory_gb, d.basis, d.seconds, d.seconds * d.low AS seconds_low, d.seconds * d.high AS seconds_high,
    d.observation_id, d.seller AS provider, d.price_kind, d.terms AS billing, d.commitment_months, d.price_usd, d.price_date, d.stale, d.cost_usd,
    CASE WHEN d.acquisition = 'rent' THEN d.cost_usd * d.low END AS cost_usd_low,
    CASE WHEN d.acquisition = 'rent' THEN d.cost_usd * d.high END AS cost_usd_high,
    d.system_usd,
    d.electricity_usd,
    d.unranked,
    coalesce(
        e.reason, d.limit_missed,
        format('prediction too uncertain for a rank: {:.1f} to {:.1f} {}', d.seconds * d.low / d.unit_s, d.seconds * d.high / d.unit_s, d.unit)
    ) AS reason
FROM decided AS d
LEFT JOIN explained AS e USING (scenario_id, gpu_id)
