-- title: Electricity in a year
-- description: Power times the hours of 365 days in which the machine works, as the 2020 guide (Dettmers) counts; idle power is left out.
-- parameter: watts | W | Power of the working machine
-- parameter: utilisation | fraction | Share of the time that it works
-- returns: kWh | Electricity of a year
watts / 1000 * utilisation * 24 * 365
