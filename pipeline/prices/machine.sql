-- title: Machines of the instance catalog
-- description: One row per provider and machine type. A fact is empty where the sources of the catalog differ, or none states it; so is the number of
-- description: GPUs of a machine with a share of one, or if no source names them: Azure's API counts 1 for a share of a GPU.
SELECT
    vendor AS provider,
    machine_key(instance_type) AS machine,
    CASE
        WHEN
            count(DISTINCT accelerator_count) = 1 AND min(accelerator_count) >= 1 AND count(accelerator) > 0
            AND bool_and(coalesce(partition, 'whole') = 'whole')
            THEN min(accelerator_count)::BIGINT
    END AS gpus,
    CASE WHEN count(DISTINCT vcpus) = 1 THEN min(vcpus) END AS vcpus,
    CASE WHEN count(DISTINCT memory_gib) = 1 THEN min(memory_gib) END AS memory_gib
FROM instance_catalog
GROUP BY ALL
