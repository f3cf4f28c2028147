-- title: Coverage of the specifications
-- description: One row per attribute of gpu: on how many GPUs it is known, and what independent outside sources say of the
-- description: values.
-- group: specs
-- column: attribute | | Column of gpu
-- column: unit | | Its unit
-- column: cards_with_value | GPU | GPUs whose value is known
-- column: cards_without | GPU | GPUs whose value is unknown or does not exist
-- column: values_confirmed | GPU | Values that an independent outside source states exactly or within 2 percent
-- column: values_unconfirmed | GPU | Values that no independent outside source in this dataset states
-- column: values_contradicted | GPU | Values from which every independent outside source differs by more than 2 percent
-- column: sources | | Independent outside sources that state the attribute, in order of their names
-- column: doubt | | What to know of every value of the attribute
-- unique: attribute
-- check: cards_with_value = values_confirmed + values_unconfirmed + values_contradicted
-- check: cards_without >= 0
SELECT a.attribute, any_value(a.unit) AS unit,
    count(s.gpu_id) FILTER (s.chosen) AS cards_with_value,
    (SELECT count(*) FROM gpu) - count(s.gpu_id) FILTER (s.chosen) AS cards_without,
    count(s.gpu_id) FILTER (s.chosen AND s.agrees) AS values_confirmed,
    count(s.gpu_id) FILTER (s.chosen AND s.agrees IS NULL) AS values_unconfirmed,
    count(s.gpu_id) FILTER (s.chosen AND NOT s.agrees) AS values_contradicted,
    string_agg(DISTINCT s.source_id, ', ' ORDER BY s.source_id)
        FILTER (s.source_id NOT IN ('gpuledger-compiled', 'gpuledger-arithmetic')) AS sources,
    any_value(a.doubt) AS doubt
FROM _spec_attribute AS a
LEFT JOIN gpu_spec AS s USING (attribute)
GROUP BY a.attribute
