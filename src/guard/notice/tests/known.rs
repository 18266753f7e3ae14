//! Our own texts are known again, and nobody else's are taken for them.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::dialect::{Call, Dialect};
use crate::guard::Rules;
use crate::guard::ledger::{Key, Ledger};
use crate::wire::canonical::{digest, quote};
use crate::wire::span::Json;

#[test]
fn whatever_fills_them_and_whatever_is_in_force() {
    let values = ["a {b} \"c\"\nd", "", " ", ". Please fix your mistakes.", "Error: x was not run: y"];
    for written in Locale::ALL {
        let writer = Notices::new(written);
        for read in Locale::ALL.map(Notices::new) {
            for (notice, value) in whole().flat_map(|notice| values.map(|value| (notice, value))) {
                let text = filled(&writer, notice, value);
                assert!(read.wrote(&text), "{text}");
                assert!(read.wrote(text.trim()), "{text}");
                assert!(read.wrote(&format!("  {text}\n")), "{text}");
            }
        }
    }
}

#[test]
fn a_part_is_not_known_by_itself() {
    for locale in Locale::ALL {
        for notice in Notice::ALL.into_iter().filter(|notice| notice.used() == Use::Part) {
            assert!(!Notices::default().wrote(&filled(&Notices::new(locale), notice, "x")));
        }
    }
}

#[test]
fn a_tools_own_words_are_not_taken_for_ours() {
    let notices = Notices::default();
    for text in [
        "",
        "Error: no such file",
        "Error: git was not run",
        "Error: git was not run: bad. Please fix your mistakes. Thanks",
        "It said: Error: git was not run: bad. Please fix your mistakes.",
        "Error: 1 validation error for edit\n Please fix your mistakes.",
        "Please fix your mistakes.",
        "错误：文件不存在",
        "错误：git 未执行",
        "Fehler: Datei nicht gefunden",
    ] {
        assert!(!notices.wrote(text), "{text}");
    }
}

#[test]
fn an_override_is_known_and_the_built_in_text_still_is() {
    let mut notices = Notices::default();
    notices.replace("invalid", "Nothing was done with {tool}: {problems}!").unwrap();
    let text = filled(&notices, Notice::Invalid, "x");
    assert!(notices.wrote(&text));
    assert!(notices.wrote(&filled(&Notices::default(), Notice::Invalid, "x")));
    assert!(!Notices::default().wrote(&text));
    notices.replace("invalid", "{tool} was left alone by us, {problems}").unwrap();
    assert!(notices.wrote("was left alone by us,"), "trimmed, with both ends empty");
}

#[test]
fn a_text_without_placeholders_is_known_only_whole() {
    let mut notices = Notices::default();
    notices.replace("no_tools", "there is nothing to call").unwrap();
    assert!(notices.wrote("there is nothing to call"));
    assert!(!notices.wrote("there is nothing to call, there is nothing to call"));
    assert!(!notices.wrote("there is nothing"));
}

#[test]
fn no_recorded_result_is_taken_for_ours() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return;
    };
    let (notices, mut results) = (Notices::default(), 0);
    for file in std::fs::read_dir(std::path::Path::new(&data).join("trajectories")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let conversation = Dialect::Chat.read(Bytes::from(line.to_owned())).unwrap();
            for element in &conversation.elements {
                let text = conversation.content(element);
                results += 1;
                assert!(!notices.wrote(&text), "{text}");
            }
        }
    }
    println!("{results} texts, none of them ours");
}

/// What tools, models and operators really put into a text.
fn value() -> impl Strategy<Value = String> {
    let real = prop::sample::select(vec![
        "Error: [Errno 2] No such file or directory: '/tmp/x'",
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad",
        r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"no such type"}"#,
        r#"{"isError":true,"content":[{"type":"text","text":"failed"}]}"#,
        "http_400:ResourceTypeNotFound: \"no such type\"",
        "HTTP 404 Not Found",
        "exit code 1",
        "Success: true",
        "429 Too Many Requests",
        ". Please fix your mistakes.",
        "。请修正你的错误。",
        "Erreur : x n'a pas été exécuté",
        "\n\n",
        "",
    ]);
    prop_oneof![real.prop_map(str::to_owned), ".{0,40}", "(?s).{0,12}"]
}

/// Two calls of a tool that may change the world: the first failed, `result` answers the second. Which of the two
/// would be refused now? A success of the second reopens the first, and a failure does so as well.
fn refused_after(rules: &Rules, result: &str) -> (bool, bool) {
    let turn = |id: &str, result: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"make_dir",
            "arguments":"{{\"a\":\"{id}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":{}}}"#,
            quote(result)
        )
    };
    let body = format!(r#"{{"messages":[{},{}]}}"#, turn("c1", "Error: no such parent"), turn("c2", result));
    let transcript = Dialect::Chat.read(Bytes::from(body)).unwrap();
    let mut key = |call: &Call<'_>| {
        Some(Key { tool: call.name.to_string(), digest: digest(Json::parse(&call.arguments).ok()?, &[]) })
    };
    let ledger = Ledger::fold(&transcript, rules, &mut key);
    let policy = rules.policy("make_dir");
    let calls: Vec<_> = transcript.elements.iter().flat_map(|element| transcript.calls(element)).collect();
    let refused = |call: &Call<'_>| ledger.precedent(&key(call).unwrap(), call, &policy, false).is_some();
    (refused(&calls[0]), refused(&calls[1]))
}

#[test]
fn other_texts_are_failures_and_successes() {
    let rules = Rules::default();
    assert_eq!(refused_after(&rules, "Error: git was not found"), (false, true));
    assert_eq!(refused_after(&rules, "made"), (false, false));
}

proptest! {
    /// Neither a failure nor an execution: the ledger stays as it is.
    #[test]
    fn no_text_of_ours_is_a_failure_or_a_success(
        written in prop::sample::select(Locale::ALL.to_vec()),
        read in prop::sample::select(Locale::ALL.to_vec()),
        notice in prop::sample::select(whole().collect::<Vec<_>>()),
        values in prop::collection::vec(value(), 4),
        overridden in any::<bool>(),
    ) {
        let mut notices = Notices::new(read);
        if overridden {
            notices.replace(notice.code(), "These are quite other words now.").unwrap();
        }
        let values: Vec<_> = notice.placeholders().iter().copied().zip(values.iter().map(String::as_str)).collect();
        let text = Notices::new(written).text(notice, &values);
        prop_assert!(notices.wrote(&text), "{}", text);
        prop_assert!(notices.wrote(text.trim()), "{}", text);
        let rules = Rules { notices, ..Rules::default() };
        prop_assert_eq!(refused_after(&rules, &text), (true, false), "{}", text);
    }
}
