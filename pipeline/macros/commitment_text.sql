-- title: Term of a rental
-- description: Reserved and savings-plan prices have a term even where their source leaves it out.
-- parameter: billing | | Billing of the rental
-- parameter: commitment_months | month | Term of a commitment; empty = none stated
-- returns: | The term, such as `12 months`; `none` without one, `not stated` where it is not known
CASE
    WHEN commitment_months IS NOT NULL THEN commitment_months || ' months'
    WHEN billing IN ('reserved', 'savings_plan') THEN 'not stated'
    ELSE 'none'
END
