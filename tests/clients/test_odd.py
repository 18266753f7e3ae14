"""Every oddity that a script can have, as openai-python sees it: from the provider alone, and with the proxy before it."""

import contextlib
import json
import re

import openai
import pytest
from remand_replay import Provider
from stage import ROOT, Proxy

SCRIPT = """
[[step]]
repeat = true
odd = ["{odd}"]
[[step.block]]
text = "Let me look."
[[step.block]]
call = {{ name = "look", arguments = '{{"at":"a","é":1}}' }}
[[step.block]]
call = {{ name = "find", arguments = '{{"what":"b"}}' }}
"""

NAMES = re.findall(r"^    ([A-Z]\w+),$", (ROOT / "src/replay/script/odd.rs").read_text(encoding="utf-8"), re.MULTILINE)
ALL = [re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in NAMES]

LOOK, FIND = ("look", '{"at":"a","é":1}'), ("find", '{"what":"b"}')
FINE = ("Let me look.", [LOOK, FIND])

# What a stream comes to, where that is not what the provider meant: an answer, or what the client raises.
STREAMED = {
    "index_missing": TypeError,
    "index_zero": ("Let me look.", [("lookfind", LOOK[1] + FIND[1])]),
    "index_from_one": IndexError,
    "id_missing": ("Let me look.", [("look", LOOK[1], "no id"), ("find", FIND[1], "no id")]),
    "name_repeated": ("Let me look.", [("looklook", LOOK[1]), ("findfind", FIND[1])]),
    "legacy_function_call": IndexError,
    "choices_missing": KeyError,
    "malformed_event": json.JSONDecodeError,
    "garbage_event": json.JSONDecodeError,
    "doubled_event": ("Let me look.Let me look.", [LOOK, FIND]),
    "whole": AssertionError,
    "empty_body": AssertionError,
}

# The same of a whole answer.
WHOLE = {
    "legacy_function_call": ("Let me look.", [FIND]),
    "streamed": str,
    "empty_body": json.JSONDecodeError,
    "length_long": openai.APIConnectionError,
    "length_short": json.JSONDecodeError,
}

# What the proxy makes of it: calls are put right, since it writes them; what it cannot know goes on as it came; and
# where an answer breaks off, it says so.
PUT_RIGHT = {"index_missing", "index_zero", "index_from_one", "id_missing", "name_repeated"}
BY_PROXY_STREAMED = {odd: seen for odd, seen in STREAMED.items() if odd not in PUT_RIGHT} | {"length_short": openai.APIError}
BY_PROXY_WHOLE = WHOLE | {"length_long": openai.InternalServerError, "length_short": openai.InternalServerError}


def seen(base_url, *, stream):
    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in ("look", "find")]
    request = {"model": "any", "messages": [{"role": "user", "content": "hi"}], "tools": tools}
    if stream:
        with client.chat.completions.stream(**request) as events:
            answer = events.get_final_completion()
    else:
        answer = client.chat.completions.create(**request)
    if isinstance(answer, str):
        return str
    message = answer.choices[0].message
    calls = [
        (call.function.name, call.function.arguments, *([] if call.id else ["no id"])) for call in message.tool_calls or []
    ]
    return message.content, calls


def check(base_url, streamed, whole):
    for stream, expected in ((True, streamed), (False, whole)):
        if isinstance(expected, type) and issubclass(expected, Exception):
            with pytest.raises(expected) as raised:
                seen(base_url, stream=stream)
            assert raised.type is expected
        else:
            assert seen(base_url, stream=stream) == expected


@pytest.mark.parametrize("odd", ALL)
def test_a_client_sees_each_oddity(odd):
    with contextlib.closing(Provider(SCRIPT.format(odd=odd))) as provider:
        check(provider.base_url, STREAMED.get(odd, FINE), WHOLE.get(odd, FINE))


@pytest.mark.parametrize("odd", ALL)
def test_with_the_proxy_before_it_calls_are_put_right(odd):
    with contextlib.closing(Provider(SCRIPT.format(odd=odd))) as provider:
        proxy = Proxy(provider.base_url)
        try:
            check(proxy.base_url, BY_PROXY_STREAMED.get(odd, FINE), BY_PROXY_WHOLE.get(odd, FINE))
        finally:
            proxy.stop()


def test_the_tables_name_what_there_is():
    assert len(ALL) > 30
    assert {*STREAMED, *WHOLE, *PUT_RIGHT} <= {*ALL}
