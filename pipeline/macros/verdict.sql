-- title: Verdict on a statement
-- description: mixed where a part is known to be true and another to be false; fails where a part is false and none is true;
-- description: holds where every part is true; else unchecked, because a part is not known or there is none.
-- parameter: parts | | List of truth values, one for each part of the statement
-- returns: | holds, fails, mixed or unchecked
CASE
    WHEN list_bool_or(parts) AND NOT list_bool_and(parts) THEN 'mixed'
    WHEN NOT list_bool_or(parts) THEN 'fails'
    WHEN list_bool_and(parts) AND list_count(parts) = len(parts) THEN 'holds'
    ELSE 'unchecked'
END
