-- title: Cost of one run
-- description: Time of the run in hours times the hourly price.
-- parameter: usd_per_hour | USD/h | Price of the machine
-- parameter: seconds | s | Wall time of the run
-- returns: USD | Cost of one run
usd_per_hour * seconds / 3600
