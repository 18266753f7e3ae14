"""A LangChain agent over a LangGraph graph, in each of the ways in which it can be run."""

import asyncio

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


# One for all tests: the client keeps its connections, and those are bound to the loop that made them.
LOOP = asyncio.new_event_loop()


def invoke(agent, given, config=None):
    return agent.invoke(given, config)


def ainvoke(agent, given, config=None):
    return LOOP.run_until_complete(agent.ainvoke(given, config))


def stream(agent, given, config=None):
    """Tokens are asked for as they come, so the model is streamed too."""
    told = agent.stream(given, config, stream_mode=["messages", "values"])
    return [state for mode, state in told if mode == "values"][-1]


def astream(agent, given, config=None):
    async def told():
        stream = agent.astream(given, config, stream_mode=["messages", "values"])
        return [state async for mode, state in stream if mode == "values"][-1]

    return LOOP.run_until_complete(told())


WAYS = [invoke, ainvoke, stream, astream]


def agent_at(base_url, *tools, **more):
    """`create_agent` as its documentation has it, pointed at `base_url`."""
    model = ChatOpenAI(model="scripted", base_url=base_url, stream_usage=True, max_retries=0)
    return create_agent(model, tools, system_prompt="You prepare worktrees.", **more)


def user(text):
    return {"messages": [{"role": "user", "content": text}]}


def shown(messages):
    """What a conversation holds, without the ids that the client draws by lot."""
    return [
        (message.type, message.text, calls(message), getattr(message, "tool_call_id", None), ended(message))
        for message in messages
    ]


def calls(message):
    return [(call["id"], call["name"], call["args"]) for call in getattr(message, "tool_calls", [])]


def ended(message):
    usage = getattr(message, "usage_metadata", None) or {}
    counts = tuple(usage.get(key) for key in ["input_tokens", "output_tokens", "total_tokens"])
    return (message.response_metadata.get("finish_reason"), counts)
