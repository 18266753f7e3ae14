"""LangGraph: `create_agent` with tools that raise. What a tool raises ends the run."""

import pytest
from langchain_agent import WAYS, agent_at, astream, calls, ended, shown, stream, user
from tools import Cloud, Shell, Worktrees


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


def worktree_agent(stage):
    worktrees = Worktrees()
    return agent_at(stage.base_url, worktrees.git_prepare_worktree), worktrees


def test_a_clean_conversation_is_the_same_with_and_without_the_proxy(stages, way):
    seen = []
    for guarded in [True, False]:
        stage = stages("clean", guarded)
        agent, worktrees = worktree_agent(stage)
        messages = way(agent, user("Prepare two services."))["messages"]
        messages = way(agent, {"messages": [*messages, ("user", "Thanks.")]})["messages"]
        stage.played("two at once", "one more", "in words", "and later")
        # The two tools of one answer run side by side, in no order.
        assert sorted(worktrees.called) == ["api", "docs", "web-ui-2"]
        seen.append(shown(messages))
    assert seen[0] == seen[1]


def test_a_slug_in_capitals_kills_the_run_without_the_proxy(stages, way):
    agent, worktrees = worktree_agent(stages("capitals", guarded=False))
    with pytest.raises(ValueError, match="bad slug: 'PJ1-project-git-extend'"):
        way(agent, user("Prepare PJ1."))
    assert worktrees.called == ["PJ1-project-git-extend"]


def test_a_slug_in_capitals_arrives_in_lower_case(stages, way):
    stage = stages("capitals")
    agent, worktrees = worktree_agent(stage)
    messages = way(agent, user("Prepare PJ1."))["messages"]
    arguments = {"branch_slug": "pj1-project-git-extend", "branch_kind": "feature"}
    assert calls(messages[1]) == [("call_capitals", "git_prepare_worktree", arguments)]
    assert messages[-1].text == "The worktree is ready."
    assert worktrees.called == ["pj1-project-git-extend"]
    way(agent, {"messages": [*messages, ("user", "Thanks.")]})
    stage.played("in capitals", "done", "later")


def test_a_hopeless_slug_kills_the_run_without_the_proxy(stages, way):
    agent, worktrees = worktree_agent(stages("hopeless", guarded=False))
    with pytest.raises(ValueError, match="bad slug: 'a--b'"):
        way(agent, user("Prepare a--b."))
    assert worktrees.called == ["a--b"]


def test_a_hopeless_slug_is_corrected_and_the_run_ends_well(stages, way):
    stage = stages("hopeless")
    agent, worktrees = worktree_agent(stage)
    messages = way(agent, user("Prepare a--b."))["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    arguments = {"branch_slug": "a-b", "branch_kind": "fix"}
    assert calls(messages[1]) == [("call_corrected", "git_prepare_worktree", arguments)]
    assert messages[1].text == "A branch named like the ticket.\n\nOne hyphen, then."
    assert ended(messages[1]) == ("tool_calls", (270, 58, 328))
    assert (messages[-1].text, ended(messages[-1])[0]) == ("The branch is ready.", "stop")
    assert worktrees.called == ["a-b"], "the tool ran once, with a good slug"
    way(agent, {"messages": [*messages, ("user", "Thanks.")]})
    stage.played("hopeless", "corrected", "done", "later")


def test_of_three_calls_the_good_two_run_and_the_model_sees_three_results(stages, way):
    stage = stages("siblings")
    agent, worktrees = worktree_agent(stage)
    messages = way(agent, user("Prepare three services."))["messages"]
    assert [id for id, _, _ in calls(messages[1])] == ["call_api", "call_docs"]
    assert [message.tool_call_id for message in messages[2:4]] == ["call_api", "call_docs"]
    assert messages[-1].text == "All three worktrees are ready."
    assert sorted(worktrees.called) == ["api", "docs", "web-ui"]
    stage.played("one bad of three", "the second again", "done")


def test_a_call_that_cannot_work_runs_once(stages, way):
    stage, cloud = stages("terminal"), Cloud()
    messages = way(agent_at(stage.base_url, cloud.aliyun_api), user("Where is the vector database?"))["messages"]
    assert [call[0] for message in messages for call in calls(message)] == ["call_stack", "call_types"]
    assert cloud.called == ["GetStack", "ListResourceTypes"]
    assert messages[-1].text == "The cloud offers no such resource."
    stage.played("failing", "again", "another way", "concluded")


@pytest.mark.parametrize("streamed", [stream, astream])
def test_half_a_command_is_run_without_the_proxy_and_never_with_it(stages, streamed):
    """A streamed call is closed by the client where it was cut, and run."""
    stage, shell = stages("cut", guarded=False), Shell()
    agent = agent_at(stage.base_url, shell.execute)
    streamed(agent, user("Empty the cache."))
    assert shell.called == ["rm -r build/cache"]

    stage, shell = stages("cut"), Shell()
    agent = agent_at(stage.base_url, shell.execute)
    messages = streamed(agent, user("Empty the cache."))["messages"]
    assert messages[-1].text == "The cache is empty."
    assert shell.called == ["rm -r build/cache/tmp"]
    stage.played("cut", "whole", "done")
