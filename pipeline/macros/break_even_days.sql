-- title: Days until buying is cheaper than renting
-- description: Smallest whole number of days d in which renting costs at least as much as buying, for the same share of use u. That is: cloud * u *
-- description: 24 * d >= purchase + watts / 1000 * u * 24 * d * usd_per_kwh. No resale. Empty where renting never becomes the dearer.
-- parameter: purchase_usd | USD | Price of the machine
-- parameter: cloud_usd_per_hour | USD/h | Rental price of one as fast
-- parameter: utilisation | fraction | Share of the time that it works
-- parameter: watts | W | Power of the working machine
-- parameter: usd_per_kwh | USD/kWh | Price of electricity
-- returns: day | Days until break-even
CASE
    WHEN utilisation > 0
    -- rounded first, so that a quotient that is whole but for its last bit counts as whole
    THEN ceil(round(break_even_hours(purchase_usd, cloud_usd_per_hour, watts, usd_per_kwh) / (24 * utilisation), 6))
END
