"""Sessions whose history was broken: by an interrupt, a cut window, a steering message, a model's bad arguments.

A real provider refuses them, and every later request with them. The scripted one is as strict.
"""

import openai
import pytest
from langchain_agent import WAYS as GRAPH_WAYS
from langchain_agent import agent_at
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from openai_agent import WAYS as LIBRARY_WAYS
from openai_agent import Agent
from tools import Worktrees

NAME = "git_prepare_worktree"
ARGUMENTS = {"branch_slug": "api", "branch_kind": "fix"}
ASK, STEER, STILL = "Prepare a worktree.", "A second one, too.", "Are you still there?"

# What each history is made of; C is the call, R its result, B the call with bad arguments, S a steering message.
BROKEN = {
    "an interrupted call": "UC",
    "a result whose call was cut away": "RU",
    "a steering message before the result": "UCSR",
    "arguments that are no JSON": "UBR",
}


@pytest.fixture(params=BROKEN.values(), ids=BROKEN.keys())
def broken(request):
    return request.param


def element(letter):
    """As the library has it."""
    call = {"id": "call_api", "type": "function"}
    good = {"name": NAME, "arguments": '{"branch_slug": "api", "branch_kind": "fix"}'}
    bad = {"name": NAME, "arguments": '{"branch_slug": "ap'}
    return {
        "U": {"role": "user", "content": ASK},
        "S": {"role": "user", "content": STEER},
        "C": {"role": "assistant", "content": None, "tool_calls": [{**call, "function": good}]},
        "B": {"role": "assistant", "content": None, "tool_calls": [{**call, "function": bad}]},
        "R": {"role": "tool", "tool_call_id": "call_api", "content": "api: ready"},
    }[letter]


def message(letter):
    """As the graph has it."""
    call = {"id": "call_api", "name": NAME}
    return {
        "U": HumanMessage(ASK),
        "S": HumanMessage(STEER),
        "C": AIMessage("", tool_calls=[{**call, "args": ARGUMENTS}]),
        "B": AIMessage("", invalid_tool_calls=[{**call, "args": '{"branch_slug": "ap', "error": "cut"}]),
        "R": ToolMessage("api: ready", tool_call_id="call_api"),
    }[letter]


@pytest.mark.parametrize("way", LIBRARY_WAYS, ids=lambda way: way.__name__)
def test_openai_goes_on_with_a_session_that_was_broken(stages, way, broken):
    agent = Agent(stages("broken", guarded=False).base_url, way)
    agent.history += map(element, broken)
    for _ in range(2):
        with pytest.raises(openai.BadRequestError):
            agent.converse(STILL)
        agent.history.pop()

    stage = stages("broken")
    agent = Agent(stage.base_url, way)
    agent.history += map(element, broken)
    assert agent.converse(STILL)[-1].content == "I am, and we go on."
    assert agent.converse("Thanks.")[-1].content == "You are welcome."
    stage.played("goes on", "and later")


@pytest.mark.parametrize("way", GRAPH_WAYS, ids=lambda way: way.__name__)
def test_langgraph_goes_on_with_a_session_that_was_broken(stages, way, broken):
    given = {"messages": [*map(message, broken), HumanMessage(STILL)]}
    agent = agent_at(stages("broken", guarded=False).base_url, Worktrees().git_prepare_worktree)
    for _ in range(2):
        with pytest.raises(openai.BadRequestError):
            way(agent, given)

    stage, worktrees = stages("broken"), Worktrees()
    agent = agent_at(stage.base_url, worktrees.git_prepare_worktree)
    messages = way(agent, given)["messages"]
    assert messages[-1].text == "I am, and we go on."
    messages = way(agent, {"messages": [*messages, HumanMessage("Thanks.")]})["messages"]
    assert messages[-1].text == "You are welcome."
    assert worktrees.called == [], "nothing that was interrupted is run for it"
    stage.played("goes on", "and later")
