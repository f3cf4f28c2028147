-- title: Module that no slot takes
-- description: Modules of servers (SXM, OAM, superchips) sit on their own board: no desktop takes one, and they have no width in slots.
-- parameter: slot_width | slot | Slots that the GPU covers
-- parameter: form_factor | | Form of the GPU
-- returns: | Whether no slot takes the GPU
coalesce(slot_width IS NULL AND NOT contains(form_factor, 'PCIe'), false)
