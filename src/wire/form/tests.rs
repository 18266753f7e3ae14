use super::*;

/// However the bytes are cut.
fn told(body: &[u8]) -> Option<Form> {
    let at_once = Beginning::default().push(body);
    let mut one_by_one = Beginning::default();
    assert_eq!(body.chunks(1).find_map(|byte| one_by_one.push(byte)), at_once, "{body:?}");
    at_once
}

#[test]
fn an_object_and_a_stream_are_told_by_their_first_bytes() {
    for body in ["{", "{}", " \r\n\t{\"a\":1}", "\u{feff}{", "\n\u{feff} {"] {
        assert_eq!(told(body.as_bytes()), Some(Form::Whole), "{body:?}");
    }
    for body in ["data: {", "data:", "event: x\n", "id:1", "retry:5", ": hi", "\n\ndata:", "\u{feff}data:"] {
        assert_eq!(told(body.as_bytes()), Some(Form::Stream), "{body:?}");
    }
}

#[test]
fn what_agents_take_no_call_from_is_neither() {
    for body in
        ["<html>", "[{}]", "Data: x", "database", "ideas", "retry", "\"{\"", "no data: here", "\u{fffe}{"]
    {
        let expected = if body == "retry" { None } else { Some(Form::Other) };
        assert_eq!(told(body.as_bytes()), expected, "{body:?}");
    }
}

#[test]
fn nothing_is_said_before_it_is_certain() {
    for body in [
        &b""[..],
        b" \n",
        b"dat",
        b"e",
        b"retry",
        b"\xef",
        b"\xef\xbb",
        b"\xef\xbb\xbf",
        b"\n \xef\xbb\xbf\n",
    ] {
        assert_eq!(told(body), None, "{body:?}");
    }
}
