-- title: GPUs that fit a board
-- description: GPUs that fit side by side into connectors two slots apart: a GPU wider than two slots takes the next connector too.
-- parameter: double_slots | | Connectors, each with the room of two slots
-- parameter: slot_width | slot | Slots that a GPU covers
-- returns: | GPUs
floor(double_slots / ceil(slot_width / 2))
