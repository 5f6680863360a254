"""A browser without a window: chromium, driven over loopback by the WebDriver protocol."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

REQUIRED = "SANDPROOF_BROWSER"
"""The variable that, set to `required`, makes a missing browser a failure."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing(what: str) -> None:
    """Skip the test, or fail where a browser is required."""
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(f"{what} is required here and is not installed")
    pytest.skip(f"{what} is not installed")


class Browser:
    """Drive one browser session."""

    def __init__(self, address: str, session: str) -> None:
        self.address, self.session = address, session

    def call(self, method: str, path: str, body: object = None) -> object:
        """Send a command and return its value."""
        return request(method, f"{self.address}/session/{self.session}{path}", body)

    def open(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self.call("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> object:
        """Run a script in the page and return what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script: str, seconds: float = 20) -> object:
        """Run a script until it returns something true."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.run(script)
            if value or time.monotonic() > deadline:
                return value
            time.sleep(0.1)

    def press(self, key: str) -> None:
        """Press a key, as a keyboard does."""
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        actions = [{"type": "key", "id": "keyboard", "actions": keys}]
        self.call("POST", "/actions", {"actions": actions})

    def width(self, pixels: int, height: int = 800, phone: bool = False) -> None:
        """Set the size of the screen."""
        parameters = {
            "width": pixels,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": phone,
        }
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": parameters}
        self.call("POST", "/goog/cdp/execute", command)

    def screenshot(self, path: Path) -> None:
        """Write what the screen shows."""
        path.write_bytes(base64.b64decode(cast(str, self.call("GET", "/screenshot"))))

    def errors(self) -> list[str]:
        """Return what the console has shown since the last time, except remarks."""
        entries = cast(list[dict[str, str]], self.call("POST", "/se/log", {"type": "browser"}))
        return [each["message"] for each in entries if each["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Return the addresses that pages have asked for since the last time."""
        entries = cast(list[dict[str, str]], self.call("POST", "/se/log", {"type": "performance"}))
        messages = [json.loads(each["message"])["message"] for each in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]


def request(method: str, url: str, body: object = None) -> object:
    """Speak the WebDriver protocol."""
    data = None if method == "GET" else json.dumps(body or {}).encode()
    asked = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=120) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {url}: {error.read().decode()[:500]}") from None


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a browser with an empty profile, and end it."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing("a browser (chromium with chromium-driver)")
    assert chromium is not None
    assert driver is not None
    process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{port_of(process)}"
        options = {
            "binary": chromium,
            "args": [*FLAGS, f"--user-data-dir={profile}"],
            "perfLoggingPrefs": {"enableNetwork": True},
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        started = request("POST", f"{address}/session", {"capabilities": {"alwaysMatch": wanted}})
        session = cast(dict[str, str], started)["sessionId"]
        opened = Browser(address, session)
        try:
            # The page that a new window starts with has asked for its own parts.
            opened.open("about:blank")
            opened.requests()
            yield opened
        finally:
            request("DELETE", f"{address}/session/{session}")
    finally:
        process.terminate()
        process.wait(timeout=30)


def port_of(process: subprocess.Popen[str]) -> int:
    """Read the port that the driver has chosen."""
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"started successfully on port (\d+)", line)
        if found:
            return int(found[1])
    raise AssertionError("chromedriver did not start")
