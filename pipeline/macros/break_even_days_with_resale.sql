-- title: Days until buying is cheaper than renting, with resale
-- description: Smallest whole number of days d in which renting costs at least as much as buying and then selling the GPU. That is: cloud * u * 24
-- description: * d >= purchase + watts / 1000 * u * 24 * d * usd_per_kwh - price of the GPU * kept ^ (d / 365). The rest of the machine sells for
-- description: nothing. Looks 20 years ahead; empty where that is not enough.
-- parameter: purchase_usd | USD | Price of the machine with its GPU
-- parameter: cloud_usd_per_hour | USD/h | Rental price of one as fast
-- parameter: utilisation | fraction | Share of the time that it works
-- parameter: watts | W | Power of the working machine
-- parameter: usd_per_kwh | USD/kWh | Price of electricity
-- parameter: gpu_usd | USD | Price of the GPU alone
-- parameter: kept_per_year | fraction | Share of its price that a GPU keeps in a year; 0 = no resale
-- returns: day | Days until break-even
(
    SELECT min(day)
    -- the day without resale is never earlier: 20 years where there is none
    FROM range(1, 1 + least(7300, coalesce(2 + break_even_days(purchase_usd, cloud_usd_per_hour, utilisation, watts, usd_per_kwh), 7300))::BIGINT)
        AS t(day)
    -- a thousandth of a cent, so that a sum that is equal but for its last bit counts as equal
    WHERE 24 * utilisation * (cloud_usd_per_hour - watts / 1000 * usd_per_kwh) * day + gpu_usd * power(kept_per_year, day / 365)
        >= purchase_usd - 1e-5
)
