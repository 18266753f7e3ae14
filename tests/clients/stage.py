"""The two programs behind every client: the scripted provider, and the proxy before it.

Both are the real binary, run as anyone runs it, on ports that they choose and tell. A stage without the proxy is
the same scene as the client would live through on its own.
"""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PATIENCE = 30


class Program:
    """A running program; what it writes is read as it comes, so that it never waits for us."""

    def __init__(self, *arguments):
        self._process = subprocess.Popen(
            [binary(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self._said = threading.Condition()
        self.out, self.err = [], []
        pipes = [(self._process.stdout, self.out), (self._process.stderr, self.err)]
        self._readers = [threading.Thread(target=self._read, args=pipe, daemon=True) for pipe in pipes]
        for reader in self._readers:
            reader.start()

    def _read(self, pipe, lines):
        for line in pipe:
            with self._said:
                lines.append(line.rstrip("\n"))
                self._said.notify_all()

    def wait_for(self, holds):
        """Waits until it has said what is asked for; returns what `holds` found."""
        with self._said:
            found = self._said.wait_for(holds, PATIENCE)
        assert found, f"it said only this:\n{self.all_said()}"
        return found

    def stop(self):
        """Asks it to end, and returns its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def all_said(self):
        return "\n".join([*self.out, *self.err])


class Provider(Program):
    """`remand replay`: what the model says is written in a script."""

    def __init__(self, script):
        super().__init__("replay", str(HERE / "scripts" / f"{script}.toml"), "--listen", "127.0.0.1:0")
        self.base_url = self.wait_for(lambda: search(r"steps at (http://\S+)", self.out))

    def steps(self):
        """The names of the steps that it has played, in order."""
        return [name for line in self.out for name in re.findall(r"→ step \d+ \((.*)\)$", line)]


class Proxy(Program):
    """`remand serve`, before a provider."""

    def __init__(self, upstream):
        rules = str(HERE / "rules.toml")
        super().__init__("serve", "--config", rules, "--listen", "127.0.0.1:0", "--upstream", upstream)
        self.base_url = self.wait_for(lambda: search(r"OPENAI_BASE_URL=(http://\S+)", self.err))


class Stage:
    """A provider that plays a script, and before it, if `guarded`, the proxy."""

    def __init__(self, script, guarded):
        self._provider = Provider(script)
        self._proxies = []
        if guarded:
            self.restart_proxy()

    @property
    def base_url(self):
        """What the client is pointed at."""
        return (self._proxies or [self._provider])[-1].base_url

    def restart_proxy(self):
        """Ends the proxy with all that it remembers, and starts another at another address."""
        if self._proxies:
            assert self._proxies[-1].stop() == 0, self._proxies[-1].all_said()
        self._proxies.append(Proxy(self._provider.base_url))

    def played(self, *names):
        """Asserts which steps the provider has played: what the model was asked, how often, and in which order."""
        self._provider.wait_for(lambda: len(self._provider.steps()) >= len(names))
        assert self._provider.steps() == list(names)

    def close(self):
        """Ends both. It is a failure if a request came that the script has no answer to."""
        codes = [program.stop() for program in [*self._proxies, self._provider]]
        said = "\n".join(program.all_said() for program in [*self._proxies, self._provider])
        assert not any(codes), said
        assert "panicked" not in said, said


def binary():
    """The program under test."""
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return os.environ.get("REMAND_BIN", str(Path(target) / "debug" / "remand"))


def search(pattern, lines):
    return next((found[1] for line in lines if (found := re.search(pattern, line))), None)
