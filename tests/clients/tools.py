"""The tools of the agents under test, as their authors wrote them: they raise on what they cannot take."""

import json
import re


class Worktrees:
    """Prepares worktrees, and remembers for which slugs it was called."""

    def __init__(self):
        self.called = []

    def git_prepare_worktree(self, branch_slug: str, branch_kind: str) -> str:
        """Prepare a worktree on a new branch."""
        self.called.append(branch_slug)
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", branch_slug) or len(branch_slug) > 48:
            raise ValueError(f"bad slug: {branch_slug!r}")
        return f"{branch_slug}: ready"


class Cloud:
    """A cloud API that knows no vector database."""

    def __init__(self):
        self.called = []

    def aliyun_api(self, action: str, type: str) -> str:
        """Call the cloud."""
        self.called.append(action)
        if action == "GetStack":
            return json.dumps({"status": 400, "Code": "ResourceTypeNotFound", "Message": f"no such type: {type}"})
        return json.dumps({"types": ["ALIYUN::RDS", "ALIYUN::ECS"]})


class Shell:
    """Runs nothing, and remembers what it was told to run."""

    def __init__(self):
        self.called = []

    def execute(self, command: str) -> str:
        """Run a command."""
        self.called.append(command)
        return "exit code 0"
