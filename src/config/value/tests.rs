use std::fmt::Debug;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::*;

#[derive(Deserialize)]
struct Holder<T> {
    value: T,
}

fn read<T: DeserializeOwned>(value: &str) -> Result<T, String> {
    toml::from_str(&format!("value = {value}"))
        .map(|holder: Holder<T>| holder.value)
        .map_err(|error| error.message().to_owned())
}

fn refused<T: DeserializeOwned + Debug>(value: &str) -> String {
    read::<T>(value).expect_err(value)
}

#[test]
fn an_interval_is_a_number_and_a_unit() {
    for (text, milliseconds) in
        [("0s", 0), ("500ms", 500), ("5s", 5_000), ("2m", 120_000), ("24h", 86_400_000), ("7 d", 604_800_000)]
    {
        assert_eq!(text.parse(), Ok(Interval(Duration::from_millis(milliseconds))), "{text}");
    }
    for text in ["", "s", "5", "5x", "-5s", "1.5s", "5 s s", "366d", "99999999999999999999s", "９s"] {
        assert!(text.parse::<Interval>().is_err(), "{text}");
    }
    assert!(refused::<Interval>("5").contains("invalid type: integer"));
}

#[test]
fn a_heartbeat_can_be_off_but_not_zero() {
    assert_eq!("off".parse(), Ok(Heartbeat(None)));
    assert_eq!("10s".parse(), Ok(Heartbeat(Some(Duration::from_secs(10)))));
    assert!("0s".parse::<Heartbeat>().is_err());
    assert!("on".parse::<Heartbeat>().unwrap_err().contains("\"off\""));
}

#[test]
fn a_size_is_a_number_with_or_without_a_unit() {
    for (value, bytes) in [
        ("4096", 4096),
        ("'4096'", 4096),
        ("'64MiB'", 64 << 20),
        ("'10MB'", 10_000_000),
        ("'3 kib'", 3072),
        ("'1GiB'", 1 << 30),
        ("'7B'", 7),
    ] {
        assert_eq!(read(value), Ok(Size(bytes)), "{value}");
    }
    for value in ["''", "'MiB'", "'1.5MiB'", "'-1'", "-1", "'1TiBB'", "'99999999999GiB'", "1.5", "true"] {
        refused::<Size>(value);
    }
}

#[test]
fn a_status_is_one_or_a_class_or_a_range() {
    for (value, first, last) in [
        ("422", 422, 422),
        ("'422'", 422, 422),
        ("'4xx'", 400, 499),
        ("'400-499'", 400, 499),
        ("'500 - 503'", 500, 503),
    ] {
        assert_eq!(read(value), Ok(Status { first, last }), "{value}");
    }
    for value in ["99", "600", "'xx'", "'9xx'", "'44xx'", "'499-400'", "'400-'", "'-'", "'ok'", "4.5"] {
        refused::<Status>(value);
    }
}

#[test]
fn a_pointer_is_empty_or_starts_with_a_slash() {
    for text in ["", "/", "/a/b", "/a~0b/c~1d", "/é"] {
        assert_eq!(text.parse(), Ok(Pointer(text.to_owned())));
    }
    assert!("a".parse::<Pointer>().unwrap_err().contains("`/a`"));
    for text in ["~", "/~", "/a~2", "/a~~0"] {
        assert!(text.parse::<Pointer>().is_err(), "{text}");
    }
}

#[test]
fn globs_match_if_one_of_them_does() {
    let globs: Globs = read("['git_*', 'ls']").unwrap();
    assert!(globs.set.is_match("git_log") && globs.set.is_match("ls"));
    assert!(!globs.set.is_match("lsx") && !globs.set.is_match("a_git_log"));
    refused::<Globs>("'git_*'");
    refused::<Globs>("['']");
    refused::<Globs>("['[a']");
}

#[test]
fn a_pattern_is_refused_with_the_fault_alone() {
    assert!("^a+$".parse::<Pattern>().unwrap().0.is_match("aa"));
    let told = "a(".parse::<Pattern>().unwrap_err();
    assert_eq!(told, "bad regular expression `a(`: unclosed group");
    assert!("(?=a)".parse::<Pattern>().unwrap_err().contains("look-around"));
    assert!("a{1000}{1000}".parse::<Pattern>().unwrap_err().contains("bytes once compiled"));
}

#[test]
fn a_base_url_loses_its_last_slash_and_nothing_else() {
    for (text, url) in [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("http://[::1]:8000/a//", "http://[::1]:8000/a"),
    ] {
        assert_eq!(text.parse::<BaseUrl>().unwrap().0, url, "{text}");
    }
    for text in [
        "",
        "x",
        "/v1",
        "api.openai.com",
        "ftp://x",
        "https://",
        "https://u:p@x",
        "https://x/?a=1",
        "http://x y",
    ] {
        assert!(text.parse::<BaseUrl>().is_err(), "{text}");
    }
}

#[test]
fn a_credential_can_be_a_header_and_is_never_shown() {
    let key: Credential = "sk-1".parse().unwrap();
    assert_eq!(key.0.expose(), b"sk-1");
    assert!(!format!("{key:?}").contains("sk-1"));
    for text in ["", "sk 1", "sk-1\n", "sk-é"] {
        let told = text.parse::<Credential>().unwrap_err();
        assert!(!told.contains("sk"), "{told}");
    }
}

#[test]
fn headers_of_the_connection_cannot_be_set() {
    assert_eq!("X-Team".parse::<Name>().unwrap().0, "x-team");
    for text in ["Host", "content-length", "Transfer-Encoding", "a b", ""] {
        assert!(text.parse::<Name>().is_err(), "{text}");
    }
    assert!("a\nb".parse::<Text>().is_err());
    assert!(!format!("{:?}", "sk-1".parse::<Text>().unwrap()).contains("sk-1"));
}

#[test]
fn an_overlay_keeps_the_order_of_its_keys_and_its_numbers() {
    let overlay: Overlay =
        read("{ pattern = '^[a-z]\"+$', maxLength = 48, multipleOf = 0.10, enum = [1, 1.0, true, 'é', { b = 1, a = 2 }] }")
            .unwrap();
    assert_eq!(
        overlay.0,
        r#"{"pattern":"^[a-z]\"+$","maxLength":48,"multipleOf":0.1,"enum":[1,1.0,true,"é",{"b":1,"a":2}]}"#
    );
}

#[test]
fn an_overlay_can_be_json_text() {
    let overlay: Overlay = read(r#"'{"enum": [null, 12345678901234567890123]}'"#).unwrap();
    assert_eq!(overlay.0, r#"{"enum": [null, 12345678901234567890123]}"#);
    assert_eq!(read::<Overlay>("false").unwrap().0, "false");
}

#[test]
fn an_overlay_that_does_not_compile_is_refused() {
    for (value, told) in [
        ("{ type = 'strin' }", "at /type"),
        ("{ pattern = '(?=a)' }", "not a JSON Schema"),
        ("{ '$ref' = 'https://example.com/x' }", "not a JSON Schema"),
        ("{ maximum = inf }", "no infinity"),
        ("'{\"type\":'", "not JSON"),
        ("'[1]'", "a JSON Schema is a table"),
        ("3", "a JSON Schema is a table"),
    ] {
        let message = refused::<Overlay>(value);
        assert!(message.contains(told), "{value}: {message}");
    }
}

#[test]
fn a_keyword_that_nobody_knows_is_refused_wherever_it_stands() {
    for (value, told) in [
        ("{ patern = 'a' }", "unknown keyword `patern`; did you mean `pattern`?"),
        ("{ maxlength = 5 }", "did you mean `maxLength`?"),
        ("{ properties = { a = { enums = [1] } } }", "did you mean `enum`?"),
        ("{ anyOf = [{ type = 'string' }, { minimun = 1 }] }", "did you mean `minimum`?"),
        ("{ items = { not = { zzzzzzzz = 1 } } }", "unknown keyword `zzzzzzzz`"),
    ] {
        let message = refused::<Overlay>(value);
        assert!(message.contains(told), "{value}: {message}");
    }
    for value in [
        "{ properties = { patern = true, enums = { type = 'string' } } }",
        "{ const = { patern = 1 }, default = { patern = 1 }, examples = [{ patern = 1 }] }",
        "{ '$defs' = { patern = false }, x-patern = 1, dependencies = { a = ['b'] } }",
        "{ dependentSchemas = { a = { required = ['b'] } }, additionalProperties = false, title = 'x' }",
    ] {
        assert!(read::<Overlay>(value).is_ok(), "{value}");
    }
}
