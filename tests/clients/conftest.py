"""Stages for the tests, and an environment in which no client speaks to anyone else."""

import contextlib
import os
import sys

import pytest

from stage import ROOT, Stage, binary

sys.path.insert(0, str(ROOT / "replay" / "clients"))
pytest_plugins = ["remand_replay"]

for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]
os.environ.update(LANGSMITH_TRACING="false", OPENAI_API_KEY="sk-none", OTEL_SDK_DISABLED="true")
os.environ.setdefault("REMAND_BIN", binary())


@pytest.fixture
def stages():
    """Opens stages: `stages("hopeless")` with the proxy, `stages("hopeless", guarded=False)` without."""
    with contextlib.ExitStack() as opened:

        def open_stage(script, guarded=True):
            stage = Stage(script, guarded)
            opened.callback(stage.close)
            return stage

        yield open_stage
