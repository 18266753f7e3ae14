"""The scripted provider on its own: real clients against scripts, by the fixture that ships."""

import re
import subprocess
import sys
import time
import tomllib

import openai
import pytest
from langchain_agent import WAYS, agent_at, user
from remand_replay import Provider, Unmet
from stage import HERE, PATIENCE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def client(session):
    return openai.OpenAI(base_url=session.base_url, api_key="none")


def ask(session, text="hi", **more):
    messages = [{"role": "user", "content": text}]
    return client(session).chat.completions.create(model="any", messages=messages, **more)


def said(answer):
    return answer.choices[0].message.content


def steps(*texts):
    return "".join(f'[[step]]\n[[step.block]]\ntext = "{text}"\n' for text in texts)


def test_the_test_in_the_readme_passes_and_fails_where_it_should(tmp_path):
    [script] = re.findall(r"```toml script\n(.*?)```", README, re.DOTALL)
    [test] = [block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "def test_" in block]
    (tmp_path / "order.toml").write_text(script, encoding="utf-8")
    (tmp_path / "test_order.py").write_text(test, encoding="utf-8")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["remand_replay"]\n', encoding="utf-8")
    shipped = ROOT / "replay" / "clients" / "remand_replay.py"
    (tmp_path / shipped.name).write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")

    def run():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        return done.returncode, done.stdout

    code, out = run()
    assert code == 0, out
    (tmp_path / "order.toml").write_text(script + '\n[[step]]\nname = "more"\nfinish = "stop"\n', encoding="utf-8")
    code, out = run()
    assert code == 1 and "step 3 (more) never served" in out, out


def test_an_equal_request_gets_the_second_answer(replay):
    provider = replay(steps("one", "two"))
    assert [said(ask(provider)) for _ in range(2)] == ["one", "two"]


def test_sessions_do_not_take_each_others_steps(replay):
    provider = replay(steps("one"))
    for name in ["a", "b c"]:
        assert said(ask(provider.session(name))) == "one"
        provider.session(name).verify()


def test_a_miss_is_one_request_and_is_not_forgotten(replay):
    provider = replay(steps("one").replace("[[step]]", '[[step]]\nwhen.model = "other"'), verify=False)
    with pytest.raises(openai.UnprocessableEntityError, match='model: expected "other", got "any"'):
        ask(provider)
    assert [request["outcome"] for request in provider.journal()] == ["missed"]
    with pytest.raises(Unmet, match=r"(?s)expected .other.*step 1 never served"):
        provider.verify()
    provider.reset()
    assert provider.journal() == []


def test_a_gate_holds_a_stream_until_it_is_released(replay):
    provider = replay(steps("one") + '[[step.block]]\ngate = "g"\n[[step.block]]\ntext = "two"\n')
    text = ""
    for chunk in ask(provider, stream=True):
        text += chunk.choices[0].delta.content or ""
        if text == "one":
            provider.wait_for_gate("g")
            provider.release("g")
    assert text == "onetwo"


def test_a_fault_is_retried_and_the_step_is_still_there(replay):
    fault = '[[step.fault]]\ntimes = 2\nstatus = 503\nheaders = { retry-after-ms = "1" }\n'
    provider = replay(steps("fine") + fault)
    assert said(ask(provider)) == "fine"
    assert len(provider.journal()) == 3


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ('die = "before_head"', openai.APIConnectionError),
        ('close = "before_head"', openai.APIConnectionError),
        ("status = 401", openai.AuthenticationError),
        ('error_event = { message = "gone" }', openai.APIError),
        ('odd = ["garbage_event"]', ValueError),
        ('odd = ["malformed_event"]', ValueError),
        ("close = { events = 2 }", Exception),
    ],
)
def test_a_client_sees_each_fault(replay, fault, error):
    provider = replay(steps("fine") + f"[[step.fault]]\n{fault}\n")
    patient = client(provider).with_options(max_retries=0)

    def stream():
        messages = [{"role": "user", "content": "hi"}]
        chunks = patient.chat.completions.create(model="any", messages=messages, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

    with pytest.raises(error):
        stream()
    assert stream() == "fine"


def shipped_arguments():
    scripts = [*(HERE / "scripts").glob("*.toml"), ROOT / "replay" / "demo.toml"]
    blocks = [
        block
        for script in scripts
        for step in tomllib.loads(script.read_text(encoding="utf-8"))["step"]
        for block in step.get("block", [])
    ]
    texts = {block["call"]["arguments"] for block in blocks if "call" in block}
    # What takes over from the request has no text of its own.
    return sorted(text for text in texts if "{{" not in text)


def test_arguments_split_at_each_byte_are_assembled(replay):
    known = [*shipped_arguments(), r'{"path":"C:\\temp\\é🌍\n"}']
    assert len(known) > 10
    cuts = [(text, at) for text in known for at in range(len(text.encode()))]
    step = "[[step]]\nsplit = {}\n[[step.block]]\ncall = {{ name = \"f\", arguments = '{}' }}\n"
    provider = replay("ordered = true\n" + "".join(step.format(at, text) for text, at in cuts))
    messages = [{"role": "user", "content": "hi"}]
    agent = client(provider)
    for text, _ in cuts:
        chunks = list(agent.chat.completions.create(model="any", messages=messages, stream=True))
        deltas = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
        assert "".join(call.function.arguments for call in deltas) == text
        assert len({(chunk.id, chunk.model, chunk.created) for chunk in chunks}) == 1


def test_embeddings_are_equal_for_equal_texts(replay):
    embeddings = client(replay("instant = true\n")).embeddings
    [one, two, again] = [embeddings.create(model="any", input=text).data[0].embedding for text in ["a", "b", "a"]]
    assert one == again != two
    assert len(one) == 1536


def test_an_agent_with_three_tool_turns_runs_wholly_against_a_script(replay):
    for way in WAYS:
        asked = []

        def look(place: str) -> str:
            """Look at a place."""
            asked.append(place)  # noqa: B023
            return f'{{"next": "{place}x"}}'

        provider = replay(str(HERE / "scripts" / "turns.toml"))
        messages = way(agent_at(provider.base_url, look), user("Begin at a."))["messages"]
        assert asked == ["a", "ax", "axx"]
        assert messages[-1].text == "It ends at axxx."
        assert [request["step"] for request in provider.journal()] == [0, 1, 2, 3]


def test_a_changed_script_is_played_anew(tmp_path):
    script = tmp_path / "s.toml"
    script.write_text(steps("old"), encoding="utf-8")
    provider = Provider(script)
    try:
        assert said(ask(provider)) == "old"
        script.write_text(steps("new", "newer"), encoding="utf-8")
        until = time.monotonic() + PATIENCE
        while provider._ask("GET", "scripts")["generation"] == 0:
            assert time.monotonic() < until, "the change is not seen"
        assert said(ask(provider)) == "new"
    finally:
        provider.close()


def test_a_script_that_is_wrong_is_told_with_its_line():
    with pytest.raises(RuntimeError, match=r"0\.toml:2: unknown field `texd`"):
        Provider('[[step]]\ntexd = "a"\n')


def test_a_step_that_can_never_be_reached_is_told():
    script = steps("a", "b").replace("[[step]]", "[[step]]\nrepeat = true", 1)
    with pytest.raises(RuntimeError, match="step 2 can never be reached: step 1 repeats"):
        Provider(script, options=["--strict"])
    assert "warning: " in Provider(script).close()
