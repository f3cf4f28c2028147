-- title: Coverage of the specifications
-- description: One row per attribute of gpu: on how many GPUs it is known, and what independent outside sources say of the
-- description: values.
-- group: specs
-- column: attribute | | Column of gpu
-- column: unit | | Unit of the attribute
-- column: gpus_with_value | | GPUs whose value is known
-- column: gpus_without | | GPUs whose value is unknown or does not exist
-- column: values_confirmed | | Values that an independent outside source states exactly or within 2 percent
-- column: values_unconfirmed | | Values that no publishable outside source states
-- column: values_contradicted | | Values from which every independent outside source differs by more than 2 percent
-- column: share_confirmed | fraction | Share of the known values that are confirmed
-- column: values_by_vendor_or_device | | Confirmed values that a vendor document, vendor code or a device states
-- column: values_agreeing_with_database | | Unconfirmed or contradicted values that agree with one database whose rows are not published
-- column: sources | | Independent publishers that state the attribute, in order of their names
-- column: doubt | | What to know of every value of the attribute
-- unique: attribute
-- check: gpus_with_value = values_confirmed + values_unconfirmed + values_contradicted
-- check: gpus_without >= 0
-- check: values_by_vendor_or_device <= values_confirmed
-- check: share_confirmed BETWEEN 0 AND 1
SELECT a.attribute, any_value(a.unit) AS unit,
    count(s.gpu_id) FILTER (s.chosen) AS gpus_with_value,
    (SELECT count(*) FROM gpu) - count(s.gpu_id) FILTER (s.chosen) AS gpus_without,
    count(s.gpu_id) FILTER (s.chosen AND s.agrees) AS values_confirmed,
    count(s.gpu_id) FILTER (s.chosen AND s.agrees IS NULL) AS values_unconfirmed,
    count(s.gpu_id) FILTER (s.chosen AND NOT s.agrees) AS values_contradicted,
    count(s.gpu_id) FILTER (s.chosen AND s.agrees) / nullif(count(s.gpu_id) FILTER (s.chosen), 0) AS share_confirmed,
    count(DISTINCT s.gpu_id) FILTER (s.agrees AND s.kind IN ('vendor document', 'vendor code', 'vendor document, quoted', 'device reading'))
        AS values_by_vendor_or_device,
    count(s.gpu_id) FILTER (s.status <> 'confirmed' AND s.database_check = 'agrees with one database') AS values_agreeing_with_database,
    string_agg(DISTINCT s.publisher_id, ', ' ORDER BY s.publisher_id) FILTER (s.kind NOT IN ('own', 'arithmetic')) AS sources,
    any_value(a.doubt) AS doubt
FROM _spec_attribute AS a
LEFT JOIN gpu_spec AS s USING (attribute)
GROUP BY a.attribute
