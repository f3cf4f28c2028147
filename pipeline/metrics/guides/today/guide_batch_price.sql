-- title: The guides' largest batches at today's prices
-- description: One row per machine and task whose largest batch a guide found: the hourly price over the items of the batch. One figure is at the
-- description: guide's price, the other at that of the cheapest current on-demand offer of a single GPU (guide_machine_price). It is the price of
-- description: room for one item, not of an item.
-- group: guides
-- column: source_id | | Guide that found the batch
-- column: machine | | Machine in guide_machine
-- column: task | | Task in guide_protocol
-- column: gpu_id | | GPU of the machine
-- column: max_batch_items | item | Largest batch that ran
-- column: guide_usd_per_batch_item | USD/(item·h) | Figure that the guide prints
-- column: usd_per_batch_item | USD/(item·h) | Price of room for one item today; empty without a current offer
-- unique: source_id, machine, task
-- check: usd_per_batch_item > 0
SELECT
    b.source_id,
    b.machine,
    b.task,
    m.gpu_id,
    b.max_batch_items,
    f.value AS guide_usd_per_batch_item,
    m.usd_per_gpu_hour / b.max_batch_items AS usd_per_batch_item
FROM guide_max_batch AS b
JOIN guide_machine_price AS m USING (source_id, machine)
LEFT JOIN published_figure AS f
    ON (f.source_id, f.subject, f.quantity) = (b.source_id, b.machine || '/' || b.task, 'usd_per_batch_item')
