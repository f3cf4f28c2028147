-- title: Table gpu_label
-- description: The labels of all snapshots without repetition.
-- input: parsed_gpu_label | | Labels of every normalized snapshot; file_index and file_row_number are the position of a row
SELECT DISTINCT * EXCLUDE (file_index, file_row_number)
FROM parsed_gpu_label
