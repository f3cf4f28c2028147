-- title: Likely link between several GPUs of a kind
-- description: One row per GPU whose link is known or follows from its kind: how several of them in one machine reach each other, in the words of
-- description: scaling_efficiency. Measured machines come first, without bridges in pairs where the GPU was also measured without. Else NVIDIA
-- description: modules (SXM, GB200 and GB300) have NVLink, GeForce GPUs from Turing on no peer transfers, other NVIDIA GPUs peer transfers over PCIe.
-- description: GPUs of other vendors and laptop parts were measured in no such machine and are left out. So is the GH200, one to a machine.
-- group: performance
-- column: gpu_id | | GPU
-- column: interconnect | | Link, as in scaling_efficiency
-- column: basis | | machine = a measured machine has it, form = it follows from the kind of GPU
-- unique: gpu_id
-- check: interconnect IN ('nvlink', 'nvlink_bridge_pairs', 'pcie_p2p', 'pcie_no_p2p')
WITH machine AS (
    SELECT gpu_id, interconnect
    FROM system_interconnect
    WHERE gpu_id IS NOT NULL AND interconnect NOT IN ('multi_node', 'unknown')
    QUALIFY row_number() OVER (PARTITION BY gpu_id ORDER BY interconnect = 'nvlink_bridge_pairs', interconnect) = 1
)
SELECT
    g.gpu_id,
    coalesce(machine.interconnect, CASE
        WHEN g.form_factor LIKE 'SXM%' OR g.form_factor = 'Superchip' THEN 'nvlink'
        WHEN starts_with(g.gpu_id, 'nvidia-geforce-') AND g.architecture NOT IN ('Maxwell', 'Pascal') THEN 'pcie_no_p2p'
        ELSE 'pcie_p2p'
    END) AS interconnect,
    CASE WHEN machine.gpu_id IS NULL THEN 'form' ELSE 'machine' END AS basis
FROM gpu AS g
LEFT JOIN machine USING (gpu_id)
WHERE machine.gpu_id IS NOT NULL
    OR (g.vendor = 'NVIDIA' AND (g.form_factor LIKE 'SXM%' OR g.form_factor = 'Superchip' OR contains(g.form_factor, 'PCIe'))
        AND NOT is_alone_in_machine(g.form_factor, g.architecture))
