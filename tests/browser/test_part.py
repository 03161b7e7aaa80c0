"""What the page says of one part of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

import report_samples as samples

if TYPE_CHECKING:
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make


def test_the_head_names_the_part(show: Show, make: Make) -> None:
    whole = samples.mixed(make)
    part = evolve(whole, info=evolve(whole.info, shard="<b>2</b>/4"))

    opened = show(part)

    notices = opened.page.locator(".notices").inner_text()
    assert "This is one part of a run: <b>2</b>/4." in notices
    assert "one part" not in show(whole).page.locator("#head").inner_text()
    assert opened.problems == []
