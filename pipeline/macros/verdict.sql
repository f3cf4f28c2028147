-- title: Verdict on a statement
-- description: The verdict is mixed if one part is true and another false, fails if one is false and none true, and holds if every part is true.
-- description: Otherwise it is unchecked, because a part is not known or there is none.
-- parameter: parts | | List of truth values, one for each part of the statement
-- returns: | holds, fails, mixed or unchecked
CASE
    WHEN list_bool_or(parts) AND NOT list_bool_and(parts) THEN 'mixed'
    WHEN NOT list_bool_or(parts) THEN 'fails'
    WHEN list_bool_and(parts) AND list_count(parts) = len(parts) THEN 'holds'
    ELSE 'unchecked'
END
