"""A small agent on the OpenAI library, in each of the ways in which the library can be asked.

It keeps what the library hands it: whatever stands in its history is what the library's objects said.
"""

import asyncio
import json
from dataclasses import dataclass

import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel, Field


class git_prepare_worktree(BaseModel):  # noqa: N801, the tool's name comes from it
    """Prepare a worktree on a new branch."""

    branch_slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=48)
    branch_kind: str


class aliyun_api(BaseModel):  # noqa: N801
    """Call the cloud."""

    action: str
    type: str


TOOLS = [openai.pydantic_function_tool(tool) for tool in (git_prepare_worktree, aliyun_api)]


@dataclass
class Answer:
    """One answer, as the library's objects hold it."""

    role: str
    content: str | None
    # Id, name and arguments; the arguments are parsed.
    calls: list
    finish: str
    # Prompt, completion, total.
    usage: tuple
    # As it goes back into the history.
    element: dict


def whole(client, history):
    return of(client.chat.completions.create(**question(history)))


def streamed(client, history):
    return merged(client.chat.completions.create(**question(history), **STREAM))


def helped(client, history):
    with client.chat.completions.stream(**question(history), stream_options=USAGE) as stream:
        for _ in stream:
            pass
        return of(stream.get_final_completion(), parsed=True)


async def whole_async(client, history):
    return of(await client.chat.completions.create(**question(history)))


async def streamed_async(client, history):
    stream = await client.chat.completions.create(**question(history), **STREAM)
    return merged([chunk async for chunk in stream])


async def helped_async(client, history):
    async with client.chat.completions.stream(**question(history), stream_options=USAGE) as stream:
        async for _ in stream:
            pass
        return of(await stream.get_final_completion(), parsed=True)


USAGE = {"include_usage": True}
STREAM = {"stream": True, "stream_options": USAGE}
WAYS = [whole, streamed, helped, whole_async, streamed_async, helped_async]


class Agent:
    """Asks in one of the `WAYS`, runs the calls, asks again."""

    def __init__(self, base_url, way, **tools):
        self.base_url, self.way, self.tools = base_url, way, tools
        self.history = [{"role": "system", "content": "You prepare worktrees."}]

    def converse(self, text):
        """One message of the user, and all answers until one calls nothing."""
        return asyncio.run(self._converse(text))

    async def _converse(self, text):
        self.history.append({"role": "user", "content": text})
        answers = []
        while not answers or answers[-1].calls:
            answers.append(await self._ask())
            self.history.append(answers[-1].element)
            for id, name, arguments in answers[-1].calls:
                content = self.tools[name](**arguments)
                self.history.append({"role": "tool", "tool_call_id": id, "content": content})
        return answers

    async def _ask(self):
        if asyncio.iscoroutinefunction(self.way):
            async with AsyncOpenAI(base_url=self.base_url, max_retries=0) as client:
                return await self.way(client, self.history)
        with OpenAI(base_url=self.base_url, max_retries=0) as client:
            return self.way(client, self.history)


def question(history):
    return {"model": "scripted", "messages": history, "tools": TOOLS}


def of(completion, parsed=False):
    """An answer that the library has put together itself."""
    [choice] = completion.choices
    message = choice.message
    calls = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    if parsed:
        for (_, _, arguments), call in zip(calls, message.tool_calls or [], strict=True):
            assert call.function.parsed_arguments.model_dump() == arguments
    element = message.to_dict()
    return Answer(message.role, message.content, calls, choice.finish_reason, counted(completion.usage), element)


def merged(chunks):
    """The chunks of a stream put together as the API's documentation has it, and as strictly."""
    roles, texts, finishes, usages, ids, calls = [], [], [], [], set(), []
    for chunk in chunks:
        ids.add(chunk.id)
        usages += [chunk.usage] if chunk.usage else []
        for choice in chunk.choices:
            assert choice.index == 0 and not finishes, "nothing comes after the end"
            roles += [choice.delta.role] if choice.delta.role else []
            texts += [choice.delta.content] if choice.delta.content else []
            finishes += [choice.finish_reason] if choice.finish_reason else []
            for part in choice.delta.tool_calls or []:
                add(calls, part)
    assert len(roles) == len(finishes) == len(usages) == len(ids) == 1
    content = "".join(texts) or None
    element = {"role": roles[0], "content": content}
    if calls:
        element["tool_calls"] = calls
    read = [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    return Answer(roles[0], content, read, finishes[0], counted(usages[0]), element)


def add(calls, part):
    if part.index == len(calls):
        function = {"name": part.function.name, "arguments": ""}
        calls.append({"id": part.id, "type": part.type, "function": function})
    calls[part.index]["function"]["arguments"] += part.function.arguments or ""


def counted(usage):
    return (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens)
