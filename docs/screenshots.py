"""Pictures of every page, light, dark and on a phone, from the running app: `make screenshots`."""

import io
import re
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page

from ppe_core.experiments.presets import named
from tests.browser.launch import chromium, settle, start_server

FOLDER = Path(__file__).parent
COLOURS = 256
PATIENCE = 120_000  # milliseconds
WIDE, NARROW = 1280, 390
VIEWS = {"": (WIDE, "light"), "-dark": (WIDE, "dark"), "-phone": (NARROW, "light")}
DEFAULT = named("A lock in the noise").config
GRIDWORLD = named("Gridworld").config
PAGES = {  # name: address, settings, heights on the desktop and on a phone
    "explore": ("", DEFAULT, 1150, 1900),
    "gridworld": ("", GRIDWORLD, 1150, 1900),
    "merge": ("merge", DEFAULT, 860, 950),
    "gaps": ("gaps", DEFAULT, 1250, 2050),
    "model": ("model", GRIDWORLD, 1500, 2300),
    "compare": ("compare", DEFAULT, 1500, 2200),
    "studies": ("studies", DEFAULT, 1250, 2150),
    "theory": ("theory", DEFAULT, 1250, 1900),
    "paper": ("paper", DEFAULT, 1500, 2400),
}

OF_PAGE = {"theory": {"section": "eta"}}  # what the page adds to the link
FIRST_RUN = {  # the button to press, and what is there when all is finished
    "studies": (re.compile(r"^Run (all \d+|the \d+ missing)"), "runs are finished and stored"),
    "compare": ("Compare them", "What they earn while they learn"),
    "theory": ("Run them", "exact gaps suffice"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        server = start_server(Path(folder))
        try:
            for name in PAGES:
                for suffix, (width, theme) in VIEWS.items():
                    page = _open(browser, server.url, name, width, theme)
                    _save(page, FOLDER / f"{name}{suffix}.png")
                    page.context.close()
        finally:
            server.process.terminate()
            server.process.wait()


def _open(browser: Browser, url: str, name: str, width: int, theme: str) -> Page:
    address, config, height, height_on_a_phone = PAGES[name]
    context = browser.new_context(
        viewport={"width": width, "height": height if width == WIDE else height_on_a_phone},
        color_scheme=theme,  # type: ignore[arg-type]
        reduced_motion="reduce",  # the river is there at once
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"{url}/{address}?{urlencode(config.flat() | OF_PAGE.get(name, {}))}")
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    if name in FIRST_RUN:
        button, sign = FIRST_RUN[name]
        start, finished = page.get_by_role("button", name=button), page.get_by_text(sign)
        start.or_(finished).first.wait_for()
        if start.is_visible():
            start.click()
            page.get_by_test_id("stProgress").wait_for()
            page.get_by_test_id("stProgress").wait_for(state="detached")
        finished.wait_for()
    page.locator(".js-plotly-plot .main-svg").last.wait_for()
    settle(page)
    page.wait_for_timeout(1500)  # for figures to come to rest
    return page


def _save(page: Page, file: Path) -> None:
    """With few colours, which these pages hardly miss: half the size."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
    print(f"{file.name}: {picture.width} × {picture.height}, {file.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
