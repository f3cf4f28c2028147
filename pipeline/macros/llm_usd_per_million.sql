-- title: Price of a million tokens
-- description: Price of an hour over the tokens of an hour.
-- parameter: usd_per_hour | USD/h | Price of the machine
-- parameter: tokens_per_s | tokens/s | Tokens of the whole machine
-- returns: USD | Price of a million tokens
usd_per_hour / (3600 * tokens_per_s) * 1e6
