"""Times as a person says them."""

import pytest

from pipeline.website.components.recommend.wording import long_time


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (4.2, "4.2 s"),
        (78, "78 s"),
        (105, "1 min 45 s"),
        (900, "15 minutes"),
        (3700, "62 minutes"),
        (4000, "1.1 hours"),
        (180_000, "2.1 days"),
    ],
)
def test_a_time_has_the_unit_that_a_person_says(seconds: float, text: str) -> None:
    assert long_time(seconds / 3600) == text
