"""A real server of the app and a real Chromium, one of each per test process."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import ExecutorPool
from tests.browser import launch
from tests.browser.launch import Server, settle, tracebacks

ONE_PROCESS = ("--process-per-site", "--renderer-process-limit=1")
"""It draws all pages: what it has compiled for one page serves the next."""
SETTINGS = {"PPE_LIMIT_LIVE_MILLISECONDS": "3000"}  # live on a busy machine, too
PATIENCE = 60_000  # milliseconds; a busy machine is slow, not wrong
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = launch.start_server(tmp_path_factory.mktemp("server"), settings=SETTINGS)
    yield running
    running.process.terminate()
    running.process.wait(timeout=30)


@pytest.fixture(scope="session")
def finished(server: Server) -> Iterator[Callable[..., RunConfig]]:
    """Puts finished runs into the server's store: for tests of what is shown, not of how it comes about."""
    jobs = Jobs(Store(server.home), ExecutorPool(ThreadPoolExecutor(1), width=1))

    def finish(**settings: object) -> RunConfig:
        config = RunConfig.from_flat(settings)
        jobs.submit([config])
        jobs.wait([config])
        return config

    yield finish
    jobs.close()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers that are a test's own, all with one store; what is left of them is ended."""
    started: list[Server] = []

    def start(port: int | None = None) -> Server:
        started.append(launch.start_server(tmp_path, port, settings=SETTINGS))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launch.chromium(*ONE_PROCESS) as chromium:
        yield chromium


@pytest.fixture(scope="session")
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """One cache for all pages: each page is a visitor of its own all the same."""
    shared = browser.new_context()
    shared.set_default_timeout(PATIENCE)
    kept = shared.new_page()  # stays open, and with it the process that draws pages
    kept.goto(server.url)
    kept.get_by_role("heading", level=1).wait_for()
    settle(kept)
    yield shared
    shared.close()


@pytest.fixture
def visit(server: Server, context: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Opens the app as a new visitor; at the end neither browser nor server may have complained."""
    complaints: list[str] = []
    pages: list[Page] = []
    logged = len(server.log.read_text())

    def open_app(query: str = "", at: str = "", width: int = 1280, dark: bool = False, **settings: object) -> Page:
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("console", lambda message: complaints.append(message.text) if _is_complaint(message) else None)
        page.goto(f"{server.url}/{at}?{query or urlencode(settings)}")
        page.get_by_role("heading", level=1).wait_for()
        settle(page)
        return page

    yield open_app
    for page in pages:
        page.close()
    assert complaints == []
    assert tracebacks(server.log.read_text()[logged:]) == []


def _is_complaint(message: ConsoleMessage) -> bool:
    """Opened at a page, Streamlit's client first looks for the server below that page's address."""
    return message.type == "error" and "/_stcore/" not in message.location["url"]
