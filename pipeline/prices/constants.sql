-- title: Constants of price normalization
-- description: Functions without parameters; run this file before the others. The name of a missing constant is an error.
CREATE OR REPLACE TEMP MACRO rule_version() AS 1::BIGINT;  -- raise it when a rule of reject_rules.sql changes
CREATE OR REPLACE TEMP MACRO hours_per_month() AS 730;  -- 8760 / 12
CREATE OR REPLACE TEMP MACRO hours_per_year() AS 8760;
-- an exchange rate applies to prices of its date and of the days after it, until there is a newer one (weekends, holidays)
CREATE OR REPLACE TEMP MACRO rate_max_age_days() AS 7;
-- change of an offer's price since its last observation that is flagged, as a ratio
CREATE OR REPLACE TEMP MACRO jump_ratio() AS 0.4;
-- virtual CPUs per GPU below which a machine is flagged
CREATE OR REPLACE TEMP MACRO min_vcpus_per_gpu() AS 4
