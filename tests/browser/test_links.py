"""Links: every setting is in them, and a broken one still opens a usable page."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from ppe_core.config import RunConfig

Visit = Callable[..., Page]


def config_in_link(page: Page) -> RunConfig:
    return RunConfig.from_flat(dict(parse_qsl(urlsplit(page.url).query)))


def test_a_link_opens_with_its_settings_and_then_holds_all_of_them(visit: Visit) -> None:
    page = visit(horizon=7, noise=0.123, samples=505, seed=9, gap="paper", eta=0.0167)
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("9")
    expect(page.get_by_role("slider", name="Horizon H")).to_have_attribute("aria-valuetext", "7")
    expect(page.get_by_role("slider", name="Noise σ")).to_have_attribute("aria-valuetext", "0.123")
    page.wait_for_url("**max_paths=**")
    expected = {"horizon": 7, "noise": 0.123, "samples": 505, "seed": 9, "gap": "paper", "eta": 0.0167}
    assert config_in_link(page) == RunConfig.from_flat(expected)


BROKEN = {
    "horizon=many": "horizon: 'many' is not a whole number in the allowed range 1 to 200",
    "noise=-1": "noise: -1 is outside the allowed range 0 to 10",
    "colour=red": "colour: no such setting",
    "gap=%3Cimg src=x onerror=alert(1)%3E": "gap: '<img src=x onerror=alert(1)>' is not one of signature, paper",
    "emission=![x](http://127.0.0.1/x)": "emission: '![x](http://127.0.0.1/x)' is not one of gaussian",
}


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("&".join(BROKEN), list(BROKEN.values())),
        ("horizon=100", ["horizon: 100 is outside the range 1 to 40 of this page; 40 is used"]),
        (f"flip={'9' * 10_000}", ["flip: 999", "is outside the allowed range 0 to 1"]),
        ("&".join(f"name{i}=1" for i in range(900)), ["name0: no such setting", "and 895 more"]),
    ],
    ids=["type, range, name, markup", "page", "long value", "many names"],
)
def test_a_broken_link_gives_a_message_and_a_usable_page(visit: Visit, query: str, messages: list[str]) -> None:
    page = visit(f"{query}&seed=77")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    for message in messages:
        expect(alert).to_contain_text(message)
    assert page.locator("img").count() == 0
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("77")
    page.get_by_role("button", name="New seed").click()
    page.wait_for_url("**seed=78&**")
    expect(alert).to_have_count(0)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
