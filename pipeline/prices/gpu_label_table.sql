-- title: Table gpu_label
-- description: The labels of all snapshots without repetition.
SELECT DISTINCT * EXCLUDE (file_index, file_row_number)
FROM parsed_gpu_label
