-- title: Hours of work until buying is cheaper than renting
-- description: Hours in which the rent of a machine costs as much as its purchase and the electricity of these hours. No resale. Empty where renting never
-- description: becomes the dearer.
-- parameter: purchase_usd | USD | Price of the machine
-- parameter: cloud_usd_per_hour | USD/h | Rental price of one as fast
-- parameter: watts | W | Power of the working machine
-- parameter: usd_per_kwh | USD/kWh | Price of electricity
-- returns: h | Hours of work until break-even
CASE
    WHEN cloud_usd_per_hour > watts / 1000 * usd_per_kwh THEN purchase_usd / (cloud_usd_per_hour - watts / 1000 * usd_per_kwh)
END
