"""LangGraph: a run that stops for a human and is resumed. The model errs after the resume; that is how the run died
that all this began with."""

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_agent import WAYS, agent_at, shown, user
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from tools import Worktrees

THREAD = {"configurable": {"thread_id": "ticket"}}


class ByMiddleware:
    """The agent stops before the tool runs, and asks for approval."""

    resume = Command(resume={"decisions": [{"type": "approve"}]})

    def middleware(self):
        return [HumanInTheLoopMiddleware(interrupt_on={"submit_plan": True})]

    def submit_plan(self, plan: str) -> str:
        """Submit a plan."""
        return f"plan accepted: {plan}"


class ByTool:
    """The tool itself stops, and asks what to do."""

    resume = Command(resume="accepted")

    def middleware(self):
        return []

    def submit_plan(self, plan: str) -> str:
        """Submit a plan."""
        return f"plan {interrupt({'plan': plan})}: {plan}"


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


@pytest.fixture(params=[ByMiddleware, ByTool], ids=lambda asks: asks.__name__)
def asks(request):
    return request.param()


def agent_of(stage, asks, saver, worktrees):
    """An agent made anew, as it is when a run is resumed in another process; only the saver outlives it."""
    tools = [asks.submit_plan, worktrees.git_prepare_worktree]
    return agent_at(stage.base_url, *tools, middleware=asks.middleware(), checkpointer=saver)


def stopped(stage, asks, way, worktrees):
    """A run that has stopped for the human; returns where it is kept."""
    saver = InMemorySaver()
    agent = agent_of(stage, asks, saver, worktrees)
    way(agent, user("Work on a--b."), THREAD)
    assert agent.get_state(THREAD).interrupts, "the run waits for the human"
    assert worktrees.called == []
    return saver


def test_a_clean_run_is_the_same_with_and_without_the_proxy(stages, asks, way):
    seen = []
    for guarded in [True, False]:
        stage, worktrees = stages("approved", guarded), Worktrees()
        saver = stopped(stage, asks, way, worktrees)
        messages = way(agent_of(stage, asks, saver, worktrees), asks.resume, THREAD)["messages"]
        assert worktrees.called == ["a-b"]
        stage.played("asks for approval", "goes on", "done")
        seen.append(shown(messages))
    assert seen[0] == seen[1]


def test_a_bad_call_after_the_resume_kills_the_run_without_the_proxy(stages, asks, way):
    stage, worktrees = stages("resume", guarded=False), Worktrees()
    saver = stopped(stage, asks, way, worktrees)
    with pytest.raises(ValueError, match="bad slug: 'a--b'"):
        way(agent_of(stage, asks, saver, worktrees), asks.resume, THREAD)
    assert worktrees.called == ["a--b"]


def test_a_bad_call_after_the_resume_is_corrected_and_the_run_ends_well(stages, asks, way):
    stage, worktrees = stages("resume"), Worktrees()
    saver = stopped(stage, asks, way, worktrees)
    agent = agent_of(stage, asks, saver, worktrees)
    messages = way(agent, asks.resume, THREAD)["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai", "tool", "ai"]
    assert messages[-1].text == "The branch is ready."
    assert worktrees.called == ["a-b"], "the tool ran once, with a good slug"
    state = agent.get_state(THREAD)
    assert not state.next and not state.interrupts, "the run is at its end"
    stage.played("asks for approval", "errs after the resume", "corrected", "done")


def test_what_the_model_was_told_before_the_stop_it_still_knows_after_it(stages, asks, way):
    stage, worktrees = stages("restart"), Worktrees()
    saver = stopped(stage, asks, way, worktrees)
    messages = way(agent_of(stage, asks, saver, worktrees), asks.resume, THREAD)["messages"]
    assert messages[-1].text == "To work."
    stage.played("a plan without words", "a plan", "remembers")


def test_a_run_is_resumed_through_a_proxy_that_was_started_meanwhile(stages, asks, way):
    stage, worktrees = stages("restart"), Worktrees()
    saver = stopped(stage, asks, way, worktrees)
    stage.restart_proxy()
    messages = way(agent_of(stage, asks, saver, worktrees), asks.resume, THREAD)["messages"]
    assert messages[-1].text == "To work."
    stage.played("a plan without words", "a plan", "has forgotten")


def test_a_plan_that_the_human_has_changed_does_not_hide_what_the_model_was_told(stages, way):
    """The client leaves the model's call as it was, and says in the result what ran in its place."""
    stage, asks, worktrees = stages("restart"), ByMiddleware(), Worktrees()
    saver = stopped(stage, asks, way, worktrees)
    edited = {"name": "submit_plan", "args": {"plan": "two worktrees"}}
    resume = Command(resume={"decisions": [{"type": "edit", "edited_action": edited}]})
    messages = way(agent_of(stage, asks, saver, worktrees), resume, THREAD)["messages"]
    [result] = [message.text for message in messages if message.type == "tool"]
    assert result.endswith("plan accepted: two worktrees")
    stage.played("a plan without words", "a plan", "remembers")
