use bytes::Bytes;

use crate::dialect::{Dialect, Hidden, HiddenCall, HiddenRound};
use crate::wire::splice::Splices;

/// The request whose second element is `answer`, with `hidden` put back around it; its elements.
fn restored(answer: &str, results: &str, hidden: &Hidden) -> String {
    let body = format!(r#"{{"messages":[{{"role":"user","content":"go"}},{answer}{results}]}}"#);
    let transcript = Dialect::Chat.read(body.into()).unwrap();
    let mut edits = Splices::default();
    transcript.restore(1, hidden, &mut edits);
    let changed = edits.apply(transcript.body());
    let text = std::str::from_utf8(&changed).unwrap();
    text.strip_prefix(r#"{"messages":[{"role":"user","content":"go"},"#)
        .and_then(|text| text.strip_suffix("]}"))
        .unwrap()
        .to_owned()
}

fn one_round(text: usize, others: &[(&str, &str)]) -> Hidden {
    let others = others.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let round = HiddenRound { elements: vec![Bytes::from("1"), Bytes::from("2")], others };
    Hidden { rounds: vec![round], siblings: Vec::new(), text }
}

#[test]
fn rounds_come_before_the_answer_which_keeps_its_own_text() {
    for (content, own) in [
        (r#""Hm.\n\nNow""#, r#""Now""#),
        (r#"[{"type":"text","text":"Hm.\n\nNow"}]"#, r#"[{"type":"text","text":"Now"}]"#),
        (r#""Hm.\n\n\u00fc \ud83d\ude00""#, r#""ü 😀""#),
    ] {
        let answer = format!(r#"{{"role":"assistant","content":{content}}}"#);
        let expected = format!(r#"1,2,{{"role":"assistant","content":{own}}}"#);
        assert_eq!(restored(&answer, "", &one_round("Hm.\n\n".len(), &[])), expected);
    }
}

#[test]
fn an_answer_without_a_text_of_its_own_has_none_beside_calls_and_makes_way_else() {
    for (content, calls, own) in [
        (r#""Hm.""#, r#","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]"#, Some("null")),
        (r#"[{"type":"text","text":"Hm."}]"#, r#","tool_calls":[]"#, None),
        (r#""Hm.""#, "", None),
        (r#""Hm.""#, r#","refusal":"r""#, Some("\"\"")),
    ] {
        let answer = format!(r#"{{"role":"assistant","content":{content}{calls}}}"#);
        let own = own.map(|own| format!(r#",{{"role":"assistant","content":{own}{calls}}}"#));
        let expected = format!("1,2{}", own.unwrap_or_default());
        assert_eq!(restored(&answer, "", &one_round("Hm.".len(), &[])), expected);
    }
}

#[test]
fn members_that_came_in_pieces_are_taken_apart_as_they_were() {
    let hidden = one_round(0, &[("reasoning", r#""a\u0062""#), ("details", r#"[{"n":1,"m":2}]"#)]);
    for (members, own) in [
        (r#""reasoning":"abc","details":[{"m":2,"n":1},{"n":3}]"#, r#""reasoning":"c","details":[{"n":3}]"#),
        (r#""reasoning":"ab","details":[{"n":1,"m":2}]"#, r#""reasoning":"","details":[]"#),
        (r#""reasoning":"xabc","details":[{"n":1}]"#, r#""reasoning":"xabc","details":[{"n":1}]"#),
        (r#""reasoning":null,"details":"ab""#, r#""reasoning":null,"details":"ab""#),
    ] {
        let answer = format!(r#"{{"role":"assistant","content":"Hm.",{members}}}"#);
        let expected = format!(r#"1,2,{{"role":"assistant","content":"Hm.",{own}}}"#);
        assert_eq!(restored(&answer, "", &hidden), expected);
    }
}

#[test]
fn an_answer_that_only_thought_what_its_rounds_thought_makes_way_too() {
    let hidden = one_round(0, &[("reasoning", "\"ab\""), ("details", r#"[{"n":1}]"#)]);
    for (members, stays) in [
        (r#""content":null,"reasoning":"ab","details":[{"n":1}],"annotations":[]"#, false),
        (r#""content":"","reasoning":"","details":[]"#, false),
        (r#""content":null,"reasoning":"abc""#, true),
        (r#""content":null,"details":[{"n":1},{"n":2}]"#, true),
        (r#""content":null,"reasoning":"ab","audio":{"id":"x"}"#, true),
    ] {
        let answer = format!(r#"{{"role":"assistant",{members}}}"#);
        assert_eq!(restored(&answer, "", &hidden) != "1,2", stays, "{members}");
    }
}

#[test]
fn siblings_and_their_results_stand_where_they_stood() {
    let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let hidden_call = |position, id: &str| HiddenCall {
        position,
        call: Bytes::from(call(id)),
        result: Bytes::from(result(id)),
    };
    let all = ["a", "b", "c", "d"];
    let list = |ids: &[&str], write: &dyn Fn(&str) -> String| {
        ids.iter().map(|id| write(id)).collect::<Vec<_>>().join(",")
    };
    for kept in [&["a"][..], &["b"], &["d"], &["a", "c"], &["b", "c"], &["a", "d"], &["b", "c", "d"]] {
        let gone = all.iter().enumerate().filter(|(_, id)| !kept.contains(id));
        let siblings = gone.map(|(position, id)| hidden_call(position, id)).collect();
        let hidden = Hidden { siblings, ..Hidden::default() };
        let answer = |ids: &[&str]| format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, list(ids, &call));
        let got = restored(&answer(kept), &format!(",{}", list(kept, &result)), &hidden);
        assert_eq!(got, format!("{},{}", answer(&all), list(&all, &result)), "{kept:?}");
    }
}

#[test]
fn a_result_stands_in_order_as_well_as_the_agents_order_allows() {
    let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let list =
        |ids: &str, write: &dyn Fn(&str) -> String| ids.split(' ').map(write).collect::<Vec<_>>().join(",");
    let hidden = |position, id: &str| HiddenCall {
        position,
        call: Bytes::from(call(id)),
        result: Bytes::from(result(id)),
    };
    for (shown, refused, answered, expected) in [
        ("a c", &[(1, "b")][..], "c a", "c a b"),
        ("a c d", &[(1, "b")], "c d a", "b c d a"),
        ("a c d", &[(1, "b")], "c a d", "c a b d"),
        ("a b d", &[(2, "c")], "b d a", "b d a c"),
        ("b d", &[(0, "a"), (2, "c")], "d b", "a d b c"),
        ("a d", &[(1, "b"), (2, "c")], "d a", "d a b c"),
        ("a c", &[(1, "b")], "a x c", "a b x c"),
        ("a c", &[(1, "b")], "c", "b c"),
    ] {
        let siblings = refused.iter().map(|(position, id)| hidden(*position, id)).collect();
        let hidden = Hidden { siblings, ..Hidden::default() };
        let answer = format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, list(shown, &call));
        let got = restored(&answer, &format!(",{}", list(answered, &result)), &hidden);
        assert!(got.ends_with(&format!("]}},{}", list(expected, &result))), "{answered}: {got}");
    }
}
