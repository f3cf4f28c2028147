-- title: Cards that fit a board
-- description: Cards that fit side by side into connectors two slots apart: a card wider than two slots takes the next connector too.
-- parameter: double_slots | | Connectors, each with the room of two slots
-- parameter: slot_width | slot | Slots that a card covers
-- returns: | Cards
floor(double_slots / ceil(slot_width / 2))
