"""A real server of the app and a real Chromium, one of each per test process."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import ExecutorPool

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ON_A_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--process-per-site", "--renderer-process-limit=1",
)  # fmt: skip
"""One process draws all pages: what it has compiled for one page serves the next."""
START_SECONDS = 60
PATIENCE = 60_000  # milliseconds; a busy machine is slow, not wrong
expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen
    port: int
    home: Path  # its PPE_HOME
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def _start_server(folder: Path, port: int | None = None) -> Server:
    """The app on a port of its own, with its store and its log in a folder."""
    home, log, port = folder / "home", folder / "log.txt", port or _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    settings = {"PPE_HOME": str(home), "PPE_LIMIT_LIVE_MILLISECONDS": "3000"}  # live on a busy machine, too
    with log.open("a") as output:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=ROOT, env=os.environ | settings,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    running = Server(process, port, home, log)
    _wait_until_healthy(running)
    return running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = _start_server(tmp_path_factory.mktemp("server"))
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
        started.append(_start_server(tmp_path, port))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, (*NAMES, ON_A_MAC))), None)
    if path is None:
        pytest.fail("the browser tests need Chrome or Chromium: " + ", ".join(NAMES))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """One cache for all pages: each page is a visitor of its own all the same."""
    shared = browser.new_context()
    shared.set_default_timeout(PATIENCE)
    shared.new_page().goto(f"{server.url}/robots.txt")  # stays open, and with it the process that draws pages
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
    assert "Traceback" not in server.log.read_text()[logged:]


def _is_complaint(message: ConsoleMessage) -> bool:
    """Opened at a page, Streamlit's client first looks for the server below that page's address."""
    return message.type == "error" and "/_stcore/" not in message.location["url"]


def settle(page: Page) -> None:
    """Wait until the script of the page has run to its end and what was just clicked has not started it again."""
    page.evaluate("window.restingSince = null")
    page.wait_for_function("""() => {
        if (!document.querySelector('[data-test-script-state="notRunning"]')) window.restingSince = null
        else window.restingSince ??= performance.now()
        return window.restingSince !== null && performance.now() - window.restingSince > 120
    }""")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_healthy(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)  # nothing to wait on before the port is open
    pytest.fail(f"the app did not start:\n{server.log.read_text()}")
