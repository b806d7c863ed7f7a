"""A real server of the app and a real Chromium: for tests, benchmarks and screenshots."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ON_A_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen
    port: int
    home: Path  # its PPE_HOME
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def start_server(
    folder: Path, port: int | None = None, script: str = "app.py", settings: Mapping[str, str] | None = None
) -> Server:
    """The app on a port of its own, with its store and its log in a folder."""
    home, log, port = folder / "home", folder / "log.txt", port or _free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
    with log.open("a") as output:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=ROOT,
            env=os.environ | {"PPE_HOME": str(home)} | dict(settings or {}),
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    running = Server(process, port, home, log)
    _wait_until_healthy(running)
    return running


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, (*NAMES, ON_A_MAC))), None)
    if path is None:
        raise FileNotFoundError("this needs Chrome or Chromium: " + ", ".join(NAMES))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()


def settle(page: Page) -> None:
    """Wait until the script of the page has run to its end and what was just clicked has not started it again."""
    page.evaluate("window.restingSince = null")
    page.wait_for_function("""() => {
        if (!document.querySelector('[data-test-script-state="notRunning"]')) window.restingSince = null
        else window.restingSince ??= performance.now()
        return window.restingSince !== null && performance.now() - window.restingSince > 120
    }""")


def tracebacks(log: str) -> list[str]:
    """What the server complained of, but for pages that were closed while it wrote to them."""
    return [text for text in log.split("Traceback (most recent call last)")[1:] if "starlette_websocket" not in text]


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
    server.process.kill()
    raise TimeoutError(f"the app did not start:\n{server.log.read_text()}")
