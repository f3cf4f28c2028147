-- title: Carbon dioxide of electricity
-- description: Electricity times the intensity of the grid that it comes from. The making of the GPU is not in it.
-- parameter: kwh | kWh | Electricity
-- parameter: kg_co2_per_kwh | kg/kWh | Carbon dioxide of the grid; table assumption has the one that the tables use
-- returns: kg | Carbon dioxide
kwh * kg_co2_per_kwh
