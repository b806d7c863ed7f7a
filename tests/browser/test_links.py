"""Links: every setting is in them, and a broken one still opens a usable page."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from ppe_core.config import RunConfig
from tests.browser.launch import settle

Visit = Callable[..., Page]


def config_in_link(page: Page) -> RunConfig:
    parameters = dict(parse_qsl(urlsplit(page.url).query))
    assert parameters.pop("v") == "1"
    return RunConfig.from_flat(parameters)


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
    "emission=![x](http://127.0.0.1/x)": "emission: '![x](http:/\N{WORD JOINER}/127.0.0.1/x)' is not one of gaussian",
}


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("&".join(BROKEN), list(BROKEN.values())),
        ("v=2&horizon=6", ["the link is of version 2, made by a newer PPE Lab than this one, which reads 1"]),
        ("view=%3Cb%3E", ["view: '<b>' is not one of all, demo"]),
        ("horizon=100", ["horizon: 100 is outside the range 1 to 40 of this page; 40 is used"]),
        (f"flip={'9' * 10_000}", ["flip: 999", "is outside the allowed range 0 to 1"]),
        ("&".join(f"name{i}=1" for i in range(900)), ["name0: no such setting", "and 895 more"]),
    ],
    ids=["type, range, name, markup", "newer", "view", "page", "long value", "many names"],
)
def test_a_broken_link_gives_a_message_and_a_usable_page(visit: Visit, query: str, messages: list[str]) -> None:
    page = visit(f"{query}&seed=77")
    alert = page.get_by_test_id("stAlert").filter(has_text="Not everything in the link could be used")
    for message in messages:
        expect(alert).to_contain_text(message)
    expect(alert.locator("img, a")).to_have_count(0)
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("77")
    page.get_by_role("button", name="New seed").click()
    page.wait_for_url("**seed=78&**")
    expect(alert).to_have_count(0)
    expect(page.get_by_role("button", name="Reset", exact=True)).to_be_enabled()


def shared_links(page: Page) -> list[str]:
    page.get_by_role("button", name="Share").click()
    codes = page.get_by_test_id("stPopoverBody").locator("code")
    expect(codes).to_have_count(2)
    return codes.all_inner_texts()


def test_a_shared_link_shows_the_same_run_in_another_browser(visit: Visit, browser) -> None:
    page = visit(noise=0.6, samples=250, seed=12)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    expect(page.get_by_text("computed just now")).to_be_visible()
    run_id = page.locator("code").filter(has_text="lock-").inner_text()
    link, _ = shared_links(page)
    assert set(dict(parse_qsl(urlsplit(link).query))) == {"v", *RunConfig().flat()}
    other = browser.new_context().new_page()
    other.goto(link)
    expect(other.locator("code").filter(has_text="lock-")).to_have_text(run_id)
    expect(other.get_by_text("· stored ·")).to_be_visible()
    expect(other.get_by_test_id("stMetricValue")).to_have_text(page.get_by_test_id("stMetricValue").all_inner_texts())
    other.context.close()


def test_the_link_for_a_class_shows_one_thing_and_no_controls(visit: Visit) -> None:
    page = visit(gap="paper")
    _, link = shared_links(page)
    page.goto(link)
    page.locator(".st-key-river .xtick").first.wait_for()
    settle(page)
    expect(page.get_by_test_id("stMetric")).to_have_count(3)
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    for widget in ("slider", "combobox", "spinbutton", "button"):
        visible = [x for x in page.get_by_test_id("stMain").get_by_role(widget).all() if x.is_visible()]
        assert [x for x in visible if not x.locator("xpath=ancestor::*[@data-testid='stPlotlyChart']").count()] == []
    page.get_by_role("link", name="Open with all controls").click()


def test_the_link_for_a_class_can_run_what_is_not_there(visit: Visit) -> None:
    page = visit(view="demo", horizon=2, seed=1234)
    page.get_by_role("button", name="Run it and watch paths merge").click()
    page.locator(".st-key-river .xtick").first.wait_for()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("3")
