use super::said;

#[track_caller]
fn assert_said(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(said(text), *expected, "{text}");
    }
}

#[test]
fn a_text_says_itself() {
    assert_said(&[
        ("Error: boom", "Error: boom"),
        ("  422: bad slug\n", "422: bad slug"),
        ("\u{feff}one\ntwo", "one\ntwo"),
        ("", ""),
        ("{'a': 1, 'error': 'x'}", "{'a': 1, 'error': 'x'}"),
    ]);
}

#[test]
fn wrappers_that_say_nothing_besides_are_taken_off() {
    assert_said(&[
        (r#"{"content":[{"type":"text","text":"422: bad"}],"isError":true}"#, "422: bad"),
        (r#"[{"type":"text","text":"bad","annotations":null}]"#, "bad"),
        (r#"{"type":"text","text":" bad "}"#, "bad"),
        (r#""\"bad\"""#, "bad"),
        (r#"{"result":"bad"}"#, "bad"),
        ("meta=None content=[TextContent(type='text', text='bad', annotations=None)] isError=True", "bad"),
        ("content='bad' name='x' tool_call_id='c1' status='error'", "bad"),
        (r#"{"content":[{"type":"text","text":"{\"error\":\"deep\"}"}],"isError":true}"#, "deep"),
    ]);
}

#[test]
fn an_object_with_a_message_alone_says_the_message() {
    assert_said(&[
        (r#"{"error":"no such slug"}"#, "no such slug"),
        (r#"{"error":{"message":"no such slug","code":null}}"#, "no such slug"),
        (r#"{"errors":["one"],"data":null}"#, "one"),
        (r#"{"success":false,"message":"no"}"#, "no"),
        (r#"{"error":true,"message":"no"}"#, "no"),
        (r#"{"status":422,"message":"bad slug"}"#, "HTTP 422: bad slug"),
        (r#"{"status":422,"message":"422 bad slug"}"#, "422 bad slug"),
        (r#"{"error":{"code":404,"message":"gone"}}"#, "HTTP 404: gone"),
        (r#"{"statusCode":"403","detail":"no"}"#, "HTTP 403: no"),
    ]);
}

#[test]
fn whatever_says_more_stays_whole() {
    for text in [
        r#"{"status":422,"message":"bad","errors":[{"loc":["slug"]}]}"#,
        r#"{"status":"422 Unprocessable","message":"bad"}"#,
        r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"unknown"}"#,
        r#"{"error":{"code":-32602,"message":"bad"}}"#,
        r#"{"errors":["one","two"]}"#,
        r#"{"detail":[{"loc":["slug"],"msg":"bad"}]}"#,
        r#"{"error":"bad","hint":"lower case"}"#,
        r#"{"output":"boom","metadata":{"exit_code":2}}"#,
        r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#,
        r#"[{"type":"text","text":"one"},{"type":"image","data":"x"}]"#,
        r#"{"content":[{"type":"text","text":"bad"}],"structuredContent":{"why":"x"},"isError":true}"#,
        r#"{"data":[1]}"#,
        r#"{"path":"a","content":"bad"}"#,
        r#"{"error":{"error":{"error":{"error":"too deep"}}}}"#,
        "[]",
        "{}",
        "7",
    ] {
        assert_eq!(said(text), text);
    }
}

#[test]
fn what_a_result_says_it_says_again() {
    for text in [r#"{"status":422,"message":"bad slug"}"#, r#""\"{\\\"error\\\":\\\"x\\\"}\"""#, "plain"] {
        let once = said(text);
        assert_eq!(said(&once), once, "{text}");
    }
}
