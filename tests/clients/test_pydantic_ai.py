"""pydantic-ai: what a tool raises ends the run, and so does a model that errs more often than the agent allows."""

import asyncio

import pytest
from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from tools import Cloud, Worktrees


def whole(agent, text, history=None):
    return agent.run_sync(text, message_history=history)


def streamed(agent, text, history=None):
    """All events of a run as they come; the model is streamed."""

    async def told():
        async with agent.run_stream_events(text, message_history=history) as events:
            return [event.result async for event in events if isinstance(event, AgentRunResultEvent)]

    [result] = asyncio.run(told())
    return result


@pytest.fixture(params=[whole, streamed], ids=lambda way: way.__name__)
def way(request):
    return request.param


def agent_at(stage, *tools, **more):
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=stage.base_url, api_key="sk-none"))
    return Agent(model, tools=tools, instructions="You prepare worktrees.", **more)


def worktree_agent(stage, **more):
    worktrees = Worktrees()
    return agent_at(stage, worktrees.git_prepare_worktree, **more), worktrees


def calls(result):
    parts = [part for message in result.all_messages() for part in message.parts]
    return [(part.tool_call_id, part.tool_name, part.args_as_dict()) for part in parts if isinstance(part, ToolCallPart)]


def shown(messages):
    """What a conversation holds, without times and the ids that the client draws by lot."""
    return [
        ([(part.part_kind, part.content if hasattr(part, "content") else part.args) for part in message.parts], *ended(message))
        for message in messages
    ]


def ended(message):
    if not isinstance(message, ModelResponse):
        return ()
    return (message.finish_reason, message.usage.input_tokens, message.usage.output_tokens)


def test_a_clean_conversation_is_the_same_with_and_without_the_proxy(stages, way):
    seen = []
    for guarded in [True, False]:
        stage = stages("clean", guarded)
        agent, worktrees = worktree_agent(stage)
        result = way(agent, "Prepare two services.")
        later = way(agent, "Thanks.", result.all_messages())
        stage.played("two at once", "one more", "in words", "and later")
        assert sorted(worktrees.called) == ["api", "docs", "web-ui-2"]
        seen.append((result.output, calls(result), shown(later.all_messages())))
    assert seen[0] == seen[1]


def test_a_hopeless_slug_kills_the_run_without_the_proxy(stages, way):
    agent, worktrees = worktree_agent(stages("hopeless", guarded=False))
    with pytest.raises(ValueError, match="bad slug: 'a--b'"):
        way(agent, "Prepare a--b.")
    assert worktrees.called == ["a--b"]


def test_a_hopeless_slug_is_corrected_and_the_run_ends_well(stages, way):
    stage = stages("hopeless")
    agent, worktrees = worktree_agent(stage)
    result = way(agent, "Prepare a--b.")
    arguments = {"branch_slug": "a-b", "branch_kind": "fix"}
    assert calls(result) == [("call_corrected", "git_prepare_worktree", arguments)]
    assert result.output == "The branch is ready."
    assert (result.usage.input_tokens, result.usage.output_tokens) == (270 + 330, 58 + 8)
    assert worktrees.called == ["a-b"], "the tool ran once, with a good slug"
    way(agent, "Thanks.", result.all_messages())
    stage.played("hopeless", "corrected", "done", "later")


def test_a_slug_in_capitals_arrives_in_lower_case(stages, way):
    stage = stages("capitals")
    agent, worktrees = worktree_agent(stage)
    result = way(agent, "Prepare PJ1.")
    assert calls(result)[0][2]["branch_slug"] == "pj1-project-git-extend"
    assert worktrees.called == ["pj1-project-git-extend"]
    way(agent, "Thanks.", result.all_messages())
    stage.played("in capitals", "done", "later")


def test_arguments_that_its_own_check_refuses_cost_the_agent_no_retry(stages, way):
    """Without a retry to spend, the client gives up on the first bad call that it sees."""
    agent, worktrees = worktree_agent(stages("arguments", guarded=False), retries=0)
    with pytest.raises(UnexpectedModelBehavior):
        way(agent, "Prepare a branch.")
    assert worktrees.called == []

    stage = stages("arguments")
    agent, worktrees = worktree_agent(stage, retries=0)
    result = way(agent, "Prepare a branch.")
    assert [id for id, _, _ in calls(result)] == ["call_corrected"]
    assert (result.output, worktrees.called) == ("The branch is ready.", ["a-b"])
    stage.played("one is missing", "corrected", "done")


def test_an_unknown_tool_costs_the_agent_no_retry(stages, way):
    agent, worktrees = worktree_agent(stages("unknown", guarded=False), retries=0)
    with pytest.raises(UnexpectedModelBehavior):
        way(agent, "Prepare a branch.")
    assert worktrees.called == []

    stage = stages("unknown")
    agent, worktrees = worktree_agent(stage, retries=0)
    result = way(agent, "Prepare a branch.")
    assert [(id, name) for id, name, _ in calls(result)] == [("call_known", "git_prepare_worktree")]
    assert (result.output, worktrees.called) == ("The branch is ready.", ["a-b"])
    stage.played("unknown tool", "known tool", "done")


def test_of_three_calls_the_good_two_run_and_the_model_sees_three_results(stages, way):
    stage = stages("siblings")
    agent, worktrees = worktree_agent(stage)
    result = way(agent, "Prepare three services.")
    assert [id for id, _, _ in calls(result)] == ["call_api", "call_docs", "call_web_ui"]
    assert sorted(worktrees.called) == ["api", "docs", "web-ui"]
    assert result.output == "All three worktrees are ready."
    stage.played("one bad of three", "the second again", "done")


def test_a_call_that_cannot_work_runs_once(stages, way):
    stage, cloud = stages("terminal"), Cloud()
    result = way(agent_at(stage, cloud.aliyun_api), "Where is the vector database?")
    assert [id for id, _, _ in calls(result)] == ["call_stack", "call_types"]
    assert cloud.called == ["GetStack", "ListResourceTypes"]
    assert result.output == "The cloud offers no such resource."
    stage.played("failing", "again", "another way", "concluded")
