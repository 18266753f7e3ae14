//! Requests: whatever is in them, the provider gets it as the agent wrote it.

use remand::replay::{Script, Step};

use crate::scene::Scene;

/// Bodies that nothing is to be done to.
const CLEAN: &[(&str, &str)] = &[
    ("the smallest", r#"{"messages":[]}"#),
    ("nothing", "{}"),
    (
        "odd keys and numbers",
        "\r\n{ \"seed\":1234567890123456789,\"temperature\" : 1.10, \"top_p\":1E-3,\"x\":[-0,1e999],\t\"messages\":[{\"content\":\"\\u0041 \\ud83d\\ude00 \\/\",\"role\":\"user\",\"cache_control\":{\"type\":\"ephemeral\"}} ] ,\"model\":\"m\" } \n",
    ),
    (
        "duplicate keys",
        r#"{"model":"a","model":"m","messages":[1],"messages":[{"role":"user","role":"user","content":"x"}]}"#,
    ),
    (
        "a history with calls",
        r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:,"}}]},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\": 9223372036854775808}"},"extra_content":{"sig":"x"}},{"id":"b","type":"custom","custom":{"name":"patch","input":"*** \u00fc"}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"ok"}]},{"role":"tool","tool_call_id":"b","content":"ok"},{"role":"user","content":"on"}],"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}},{"type":"custom","custom":{"name":"patch"}},{"type":"web_search"}]}"#,
    ),
    (
        "the first form",
        r#"{"messages":[{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{}"}},{"role":"function","name":"look","content":"ok"}],"functions":[{"name":"look","parameters":{}}]}"#,
    ),
    (
        "elements that are none",
        r#"{"messages":[null,1,"x",[],{},{"role":7,"content":{}},{"role":"developer","content":"d"}],"tools":[null,{},{"type":"function"}],"tool_choice":7,"n":"x","stream":null}"#,
    ),
    ("tools that are none", r#"{"messages":{},"tools":"x","stream_options":[]}"#),
    ("no object", "[1, 2]"),
    ("no JSON", "{\"messages\": [}"),
    ("nothing at all", ""),
];

#[tokio::test]
async fn a_request_goes_on_as_it_came() {
    let script = Script::new().step(Step::new().raw("application/json", ["{}"]).repeat());
    let scene = Scene::new(script, "").await;
    for (_, body) in CLEAN {
        let _ = scene.send(*body).await;
    }
    let sent = scene.sent();
    assert_eq!(sent.len(), CLEAN.len());
    for ((name, body), sent) in CLEAN.iter().zip(sent) {
        assert_eq!(sent, *body, "{name}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_go_on_as_they_came() {
    let script = Script::new().step(Step::new().raw("application/json", ["{}"]).repeat());
    let scene = Scene::new(script, "").await;
    for body in [&b"{\"messages\":[],\"x\":\"\xff\xfe\"}"[..], b"\xef\xbb\xbf{\"messages\":[]}", b"\x00\x01"]
    {
        let _ = scene.send(body).await;
        assert_eq!(scene.provider.requests().last().unwrap().body, body);
    }
}
