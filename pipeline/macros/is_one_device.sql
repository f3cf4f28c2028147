-- title: One device
-- description: A board of several GPUs shows each of them to programs as a device with its own part of the memory, so no model has the memory of the
-- description: board. The name states the number of its GPUs, or of its GCDs, as AMD calls them.
-- parameter: name | | Name of the GPU
-- returns: | Whether programs see one device
NOT regexp_matches(name, '\((whole board, )?[0-9]+ (GPUs|GCDs)\)$')
