"""A scripted provider for tests with pytest. One file: copy it beside your tests, it needs nothing but `remand`.

In `conftest.py`:

    pytest_plugins = ["remand_replay"]

In a test:

    def test_agent(replay):
        provider = replay("scripts/order.toml")
        run_my_agent(base_url=provider.base_url)

When the test ends, it fails if a request came that no step answers, or if a step never served. The program is the
one that `REMAND_BIN` names, or `remand` on the path.
"""

import json
import os
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

__all__ = ["Provider", "Session", "replay"]

PATIENCE = 30


class Unmet(AssertionError):
    """The script was not played as it is written."""


class Session:
    """A play of the script from its beginning, apart from all others."""

    def __init__(self, provider, name):
        self._provider, self.name = provider, name
        self.base_url = f"{provider.url}/s/{urllib.parse.quote(name, safe='')}/v1" if name else f"{provider.url}/v1"

    def journal(self, **filters):
        """The requests so far, as they came: `journal(outcome="missed")`, `journal(step=0)`."""
        return self._ask("GET", "journal", **filters)

    def wait_for_gate(self, gate, times=1):
        """Returns once an answer has come to the gate so often."""
        self._ask("GET", "gates/wait", name=gate, times=times)

    def release(self, gate):
        """Opens a gate, now and for all who come later."""
        self._ask("POST", "gates/release", name=gate)

    def reset(self):
        """Plays the script from its beginning, and forgets what was missed."""
        self._ask("POST", "reset")

    def verify(self):
        """Raises if something was missed, though the agent may have swallowed it, or if a step never served."""
        verdict = self._ask("GET", "verify")
        if not verdict["ok"]:
            lines = verdict["misses"] + [f"{step} never served" for step in verdict["unused"]]
            raise Unmet("\n".join(lines))

    def _ask(self, method, path, **query):
        session = {"session": self.name} if self.name else {}
        url = f"{self._provider.url}/__replay/{path}?{urllib.parse.urlencode({**session, **query})}"
        request = urllib.request.Request(url, method=method)
        try:
            # Past any proxy: the provider is on this machine.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise
            return json.load(error)


class Provider(Session):
    """`remand replay` on a free port of this machine, playing scripts: paths, or a script as text."""

    def __init__(self, *scripts, options=()):
        self._folder = tempfile.TemporaryDirectory()
        paths = [self._path(number, script) for number, script in enumerate(scripts)]
        program = os.environ.get("REMAND_BIN", "remand")
        command = [program, "replay", *paths, "--listen", "127.0.0.1:0", *options]
        self._log = open(Path(self._folder.name) / "log", "w+", encoding="utf-8")
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log)
        # The first line tells the address.
        said = self._process.stdout.readline().decode()
        if " at http://" not in said:
            self._process.wait(PATIENCE)
            raise RuntimeError(self.close() or f"{program} ended before it served")
        self.url = said.split(" at ")[1].strip().removesuffix("/v1")
        # What else it says is read, so that it never waits for us.
        self._reader = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._reader.start()
        super().__init__(self, "")

    def _path(self, number, script):
        if "\n" not in str(script):
            return str(script)
        path = Path(self._folder.name) / f"{number}.toml"
        path.write_text(script, encoding="utf-8")
        return str(path)

    def session(self, name):
        return Session(self, name)

    def close(self):
        """Ends the program; returns what it had to complain about."""
        self._process.terminate()
        self._process.wait(PATIENCE)
        if hasattr(self, "_reader"):
            self._reader.join(PATIENCE)
        self._process.stdout.close()
        self._log.seek(0)
        said = self._log.read()
        self._log.close()
        self._folder.cleanup()
        return said


@pytest.fixture
def replay():
    """Starts providers: `replay("order.toml")`. Each is verified when the test ends."""
    started = []

    def start(*scripts, verify=True, options=()):
        provider = Provider(*scripts, options=options)
        started.append((provider, verify))
        return provider

    yield start
    unmet = []
    for provider, verify in started:
        try:
            if verify:
                provider.verify()
        except Unmet as error:
            unmet.append(str(error))
        finally:
            provider.close()
    if unmet:
        pytest.fail("the script was not played as it is written:\n" + "\n".join(unmet), pytrace=False)
