-- title: Last day on which a price was seen
-- description: A closed time of validity in the past was seen on each of its days. Any other price was seen on the day observed or, if announced
-- description: ahead, on the day from which it is valid.
-- parameter: observed_at | | Date of the price
-- parameter: effective_from | | First day that the price is valid, may be empty
-- parameter: effective_to | | Last day that the price is valid, may be empty
-- returns: | Day
CASE
    WHEN effective_from <= effective_to AND effective_to <= observed_at THEN effective_to
    ELSE greatest(observed_at, effective_from)
END
