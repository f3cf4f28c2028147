-- title: Paperspace's machines in order
-- description: One row per machine, task and quantity: the figure from the guide's own inputs and the place that it takes.
-- description: Quantities are named like the published ranks. Equal figures share a place.
-- group: audit
-- column: machine | | Machine in guide_machine
-- column: task | | Task in guide_protocol; empty text = no task
-- column: quantity | | What is ranked
-- column: value | see quantity | Figure that is ranked
-- column: place | | Place, 1 = the best, or the highest where the name says so
-- column: machines | | Machines that were ranked
-- column: leader | | Machine in the first place
-- column: leader_value | see quantity | Its figure
-- unique: machine, task, quantity
WITH
figures AS (
    SELECT machine, '' AS task, unnest(
        [
            {'quantity': 'rank_memory_bandwidth', 'value': memory_bandwidth_gb_per_s, 'direction': -1},
            {'quantity': 'rank_memory_gb', 'value': memory_gb, 'direction': -1},
            {'quantity': 'rank_usd_per_hour', 'value': usd_per_hour, 'direction': -1},
            {'quantity': 'rank_usd_per_gb_per_min', 'value': paperspace_throughput_cost(usd_per_hour, memory_bandwidth_gb_per_s), 'direction': 1}
        ], recursive := true)
    FROM guide_machine
    WHERE source_id = 'paperspace-2022'
    UNION ALL BY NAME
    SELECT machine, task, unnest(
        [
            {'quantity': 'rank_seconds', 'value': seconds, 'direction': 1},
            {'quantity': 'rank_seconds_slowest', 'value': seconds, 'direction': -1},
            {'quantity': 'rank_usd_per_run', 'value': usd_per_run, 'direction': 1}
        ], recursive := true)
    FROM run_cost
    WHERE source_id = 'paperspace-2022' AND own_price AND status = 'ok'
    UNION ALL BY NAME
    SELECT machine, task, unnest(
        [
            {'quantity': 'rank_max_batch_items', 'value': max_batch_items::DOUBLE, 'direction': -1},
            {'quantity': 'rank_usd_per_batch_item', 'value': usd_per_batch_item, 'direction': 1},
            {'quantity': 'rank_usd_per_batch_item_highest', 'value': usd_per_batch_item, 'direction': -1}
        ], recursive := true)
    FROM batch_item_cost
    WHERE source_id = 'paperspace-2022' AND own_price
)
SELECT
    machine,
    task,
    quantity,
    value,
    dense_rank() OVER (PARTITION BY task, quantity ORDER BY value * direction) AS place,
    count(*) OVER (PARTITION BY task, quantity) AS machines,
    first(machine) OVER (PARTITION BY task, quantity ORDER BY value * direction, machine) AS leader,
    first(value) OVER (PARTITION BY task, quantity ORDER BY value * direction, machine) AS leader_value
FROM figures
