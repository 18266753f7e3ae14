"""openai-python: whole, streamed and through its stream helper, each with and without asyncio."""

import openai
import pytest
from openai_agent import WAYS, Agent, helped, whole
from pydantic import ValidationError
from tools import Cloud, Worktrees

PREPARE = "git_prepare_worktree"


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


def worktree_agent(stage, way):
    worktrees = Worktrees()
    return Agent(stage.base_url, way, git_prepare_worktree=worktrees.git_prepare_worktree), worktrees


def test_a_clean_conversation_is_the_same_with_and_without_the_proxy(stages, way):
    seen = []
    for guarded in [True, False]:
        stage = stages("clean", guarded)
        agent, worktrees = worktree_agent(stage, way)
        answers = agent.converse("Prepare two services.") + agent.converse("Thanks.")
        stage.played("two at once", "one more", "in words", "and later")
        assert worktrees.called == ["api", "docs", "web-ui-2"]
        seen.append((answers, agent.history))
    assert seen[0] == seen[1]


def test_a_slug_in_capitals_arrives_in_lower_case(stages, way):
    stage = stages("capitals")
    agent, worktrees = worktree_agent(stage, way)
    called, said = agent.converse("Prepare PJ1.")
    arguments = {"branch_slug": "pj1-project-git-extend", "branch_kind": "feature"}
    assert called.calls == [("call_capitals", PREPARE, arguments)]
    assert (called.role, called.content) == ("assistant", "I will prepare a worktree.")
    assert (called.finish, called.usage) == ("tool_calls", (210, 31, 241))
    assert (said.content, said.finish) == ("The worktree is ready.", "stop")
    assert worktrees.called == ["pj1-project-git-extend"]
    agent.converse("Thanks.")
    stage.played("in capitals", "done", "later")


def test_a_hopeless_slug_is_corrected_within_one_answer(stages, way):
    stage = stages("hopeless")
    agent, worktrees = worktree_agent(stage, way)
    called, said = agent.converse("Prepare a--b.")
    assert called.calls == [("call_corrected", PREPARE, {"branch_slug": "a-b", "branch_kind": "fix"})]
    assert called.content == "A branch named like the ticket.\n\nOne hyphen, then."
    # The last round's input, and what all rounds put out.
    assert (called.role, called.finish, called.usage) == ("assistant", "tool_calls", (270, 58, 328))
    assert (said.role, said.content, said.finish) == ("assistant", "The branch is ready.", "stop")
    assert worktrees.called == ["a-b"]
    agent.converse("Thanks.")
    roles = ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [element["role"] for element in agent.history] == roles
    stage.played("hopeless", "corrected", "done", "later")


def test_of_three_calls_the_good_two_arrive_and_the_model_sees_three_results(stages, way):
    stage = stages("siblings")
    agent, worktrees = worktree_agent(stage, way)
    first, second, _ = agent.converse("Prepare three services.")
    assert [(id, arguments["branch_slug"]) for id, _, arguments in first.calls] == [
        ("call_api", "api"),
        ("call_docs", "docs"),
    ]
    assert (first.finish, first.usage) == ("tool_calls", (205, 80, 285))
    assert [id for id, _, _ in second.calls] == ["call_web_ui"]
    assert worktrees.called == ["api", "docs", "web-ui"]
    stage.played("one bad of three", "the second again", "done")


def test_an_unknown_tool_never_arrives(stages, way):
    stage = stages("unknown")
    agent, worktrees = worktree_agent(stage, way)
    called, _ = agent.converse("Prepare a branch.")
    assert [(id, name) for id, name, _ in called.calls] == [("call_known", PREPARE)]
    assert worktrees.called == ["a-b"]
    stage.played("unknown tool", "known tool", "done")


def test_a_call_that_cannot_work_runs_once(stages, way):
    stage = stages("terminal")
    cloud = Cloud()
    agent = Agent(stage.base_url, way, aliyun_api=cloud.aliyun_api)
    first, second, third = agent.converse("Where is the vector database?")
    assert [id for id, _, _ in first.calls + second.calls + third.calls] == ["call_stack", "call_types"]
    assert cloud.called == ["GetStack", "ListResourceTypes"]
    assert third.content == "The cloud offers no such resource."
    stage.played("failing", "again", "another way", "concluded")


def test_without_the_proxy_the_same_scripts_break_the_agent(stages):
    agent, worktrees = worktree_agent(stages("hopeless", guarded=False), whole)
    with pytest.raises(ValueError, match="bad slug: 'a--b'"):
        agent.converse("Prepare a--b.")
    assert worktrees.called == ["a--b"]
    # The helper holds arguments against the tool's schema itself, and gives up on the whole answer.
    agent, _ = worktree_agent(stages("hopeless", guarded=False), helped)
    with pytest.raises(ValidationError, match="branch_slug"):
        agent.converse("Prepare a--b.")
    agent, _ = worktree_agent(stages("unknown", guarded=False), whole)
    with pytest.raises(KeyError, match="prepare_branch"):
        agent.converse("Prepare a branch.")


def test_an_error_of_the_provider_is_the_same_exception_with_and_without_the_proxy(stages, way):
    seen = []
    for guarded in [True, False]:
        agent, _ = worktree_agent(stages("limits", guarded), way)
        with pytest.raises(openai.RateLimitError) as raised:
            agent.converse("Anything.")
        headers = raised.value.response.headers
        seen.append((str(raised.value), raised.value.code, headers["retry-after"], headers["x-request-id"]))
    assert seen[0] == seen[1]
