"""Every control changes what it says it changes, and nothing else."""

import dataclasses
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from ppe_core.config import RunConfig, option_fields
from tests.browser.launch import settle
from ui import fields, state

Visit = Callable[..., Page]
START = {"lock": {"horizon": 2, "samples": 300, "seed": 400}, "grid": {"env": "grid", "horizon": 2, "samples": 300}}
OTHER_CHOICE = {"emission": "gaussian", "layout": "empty"}  # elsewhere the last of the choices
AT_LAST = ("ellipse_style", "distractor")  # they take the meaning from other settings, which then have one fixed value
ELLIPSES = {"ellipses", "ellipse_style", "thickness", "speed"}


def config_in_link(page: Page) -> RunConfig:
    parameters = dict(parse_qsl(urlsplit(page.url).query))
    del parameters["v"]
    return RunConfig.from_flat(parameters)


def change(page: Page, item: dataclasses.Field) -> None:
    """Move one control by its keyboard, or choose another of its options."""
    sidebar, label = page.get_by_test_id("stSidebar"), fields.label(item.name)
    if item.metadata["choices"] or item.name == "layout":
        box = sidebar.get_by_role("combobox", name=label, exact=True)
        box.scroll_into_view_if_needed()
        settle(page)  # scrolling would close its list
        box.click()
        page.get_by_role("option", name=OTHER_CHOICE.get(item.name) or item.metadata["choices"][-1], exact=True).click()
    elif isinstance(item.default, bool):
        sidebar.get_by_text(label, exact=True).click()
    elif item.name in fields.SLIDERS:
        sidebar.get_by_role("slider", name=label).press("ArrowRight")
    else:
        box = sidebar.locator(f".st-key-{state.control(item.name)}")
        box.get_by_role("button", name="Decrement" if item.name == "max_paths" else "Increment").click()


@pytest.mark.parametrize("environment", ["lock", "grid"])
def test_every_setting_has_a_control_that_changes_it_alone(visit: Visit, environment: str) -> None:
    page = visit(**START[environment])
    page.get_by_test_id("stSidebar").get_by_text("Live", exact=True).click()  # nothing runs meanwhile
    page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    before = config_in_link(page)
    items = [item for part in (before, before.environment, before.learner) for item in option_fields(type(part))]
    for item in sorted(items, key=lambda item: AT_LAST.index(item.name) if item.name in AT_LAST else -1):
        change(page, item)
        page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) !== value",
            arg=[item.name, str(before.flat()[item.name])],
        )
        settle(page)
        after = config_in_link(page)
        changed = {name for name, value in after.flat().items() if value != before.flat()[name]}
        assert changed - (ELLIPSES if item.name in AT_LAST else set()) - {item.name} == set()
        before = after
    expect(page.get_by_text("Changed:")).to_contain_text(fields.label("threshold"))
