//! Calls and results that do not fit together.

use super::*;

#[test]
fn a_call_without_a_result_is_answered_in_its_place() {
    let three = calls(&["a", "b", "c"]);
    let [a, b, c] = ["a", "b", "c"].map(|id| result(id, "ok"));
    let [no_a, no_b, no_c] = ["a", "b", "c"].map(lost);
    for (what, given, expected) in [
        ("none of three", vec![], vec![&no_a, &no_b, &no_c]),
        ("not the first", vec![&b, &c], vec![&no_a, &b, &c]),
        ("not the second", vec![&a, &c], vec![&a, &no_b, &c]),
        ("not the last", vec![&a, &b], vec![&a, &b, &no_c]),
        ("only the second", vec![&b], vec![&no_a, &b, &no_c]),
        ("in another order", vec![&c, &a], vec![&c, &a, &no_b]),
    ] {
        for behind in [&[][..], &[STEER], &[STEER, WELL, USER], &[WELL, USER]] {
            let around = |results: &[&String]| {
                let mut all = history(&[SYSTEM, USER]);
                all.push(three.clone());
                all.extend(results.iter().map(|result| (*result).clone()));
                all.extend(history(behind));
                all
            };
            check(what, &around(&given), &around(&expected), &["mended_missing"]);
        }
    }
}

#[test]
fn calls_in_elements_of_their_own_are_answered_each_in_its_place() {
    let (first, second) = (calls(&["a"]), calls(&["b"]));
    let [a, b] = ["a", "b"].map(|id| result(id, "ok"));
    check(
        "one element a call",
        &history(&[USER, &first, &second, &a, &b, STEER]),
        &history(&[USER, &first, &a, &second, &b, STEER]),
        &["mended_moved"],
    );
    check(
        "no result of the first",
        &history(&[USER, &first, &second, &b]),
        &history(&[USER, &first, &lost("a"), &second, &b]),
        &["mended_missing"],
    );
}

#[test]
fn a_result_is_moved_up_to_its_call_and_what_stood_between_follows() {
    let (one, two) = (calls(&["a"]), calls(&["a", "b"]));
    let [a, b] = ["a", "b"].map(|id| result(id, "ok"));
    for between in
        [&[STEER][..], &[SYSTEM], &[STEER, SYSTEM], &[WELL, STEER], &["null"], &[r#"{"role":"x"}"#]]
    {
        let mut given = history(&[USER, &one]);
        given.extend(history(between));
        given.extend(history(&[a.as_str(), WELL, USER]));
        let mut expected = history(&[USER, &one, &a]);
        expected.extend(history(between));
        expected.extend(history(&[WELL, USER]));
        check("one call", &given, &expected, &["mended_moved"]);
    }
    for (what, given, expected) in [
        ("the second", [&two, &a, STEER, &b], [&two, &a, &b, STEER]),
        ("the first", [&two, &b, STEER, &a], [&two, &a, &b, STEER]),
    ] {
        check(what, &history(&given), &history(&expected), &["mended_moved"]);
    }
}

#[test]
fn what_a_mend_takes_away_never_leaves_an_answer_at_the_end() {
    let one = calls(&["a"]);
    let (ok, empty) = (result("a", "ok"), result("x", ""));
    let nothing = format!(r#"{{"role":"user","content":"{ORPHAN}\n{NOTHING}"}}"#);
    check(
        "a result is moved",
        &history(&[USER, &one, STEER, WELL, &ok]),
        &history(&[USER, &one, &ok, STEER, WELL, ABOVE]),
        &["mended_moved"],
    );
    check(
        "a duplicate is dropped",
        &history(&[USER, &one, &ok, WELL, &ok]),
        &history(&[USER, &one, &ok, WELL, ABOVE]),
        &["mended_duplicate"],
    );
    check(
        "an orphan that says nothing",
        &history(&[USER, WELL, &empty]),
        &history(&[USER, WELL, &nothing]),
        &["mended_orphan"],
    );
    check("and is alone", &history(&[&empty]), &history(&[&nothing]), &["mended_orphan"]);
    check(
        "and can be missed",
        &history(&[USER, &empty, &empty, STEER]),
        &history(&[USER, STEER]),
        &["mended_orphan"],
    );
}

#[test]
fn a_result_of_no_call_is_kept_as_words() {
    let told = |text: &str| format!(r#"{{"role":"user","content":"{ORPHAN}\n{text}"}}"#);
    for place in 0..3 {
        let mut given = history(&[SYSTEM, USER, WELL]);
        let mut expected = given.clone();
        for text in ["\\u00e9 {\\\"x\\\":1}", "two", "three"] {
            given.insert(place, result("gone", text));
            expected.insert(place, told(text));
        }
        check("three in a row", &given, &expected, &["mended_orphan"]);
    }
    let parts = r#"{"role":"tool","tool_call_id":"x","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,"}},"b"]}"#;
    let words = format!(
        r#"{{"role":"user","content":[{{"type":"text","text":"{ORPHAN}"}},{{"type":"text","text":"a"}},{{"type":"image_url","image_url":{{"url":"data:,"}}}},{{"type":"text","text":"b"}}]}}"#
    );
    check("parts", &history(&[USER, parts]), &history(&[USER, &words]), &["mended_orphan"]);
    // What no user may send is text, and what is empty is nothing.
    let odd = r#"{"role":"tool","tool_call_id":"a","content":[{"type":"refusal","refusal":"no"},{"type":"text","text":null},7,{"type":"text","text":{"x":1}},{"type":"text","text":""}]}"#;
    let text = |text: &str| format!(r#",{{"type":"text","text":"{text}"}}"#);
    let odd_words = [
        text(r#"{\"type\":\"refusal\",\"refusal\":\"no\"}"#),
        text("7"),
        text(r#"{\"type\":\"text\",\"text\":{\"x\":1}}"#),
    ];
    let words =
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"{ORPHAN}"}}{}]}}"#, odd_words.concat());
    check("odd parts", &history(&[USER, odd]), &history(&[USER, &words]), &["mended_orphan"]);
    let object = r#"{"role":"tool","tool_call_id":"x","content":{"a":"b"}}"#;
    let words = told(r#"{\"a\":\"b\"}"#);
    check("an object", &history(&[USER, object]), &history(&[USER, &words]), &["mended_orphan"]);
    let named = r#"{"role":"function","name":"look","content":"x"}"#;
    check("the first form", &history(&[USER, named]), &history(&[USER, &told("x")]), &["mended_orphan"]);
}

#[test]
fn half_a_pair_after_a_cut_is_mended_at_the_very_start() {
    let one = calls(&["a"]);
    let told = format!(r#"{{"role":"user","content":"{ORPHAN}\nok"}}"#);
    check(
        "the call was cut away",
        &history(&[SYSTEM, &result("a", "ok"), &result("b", "ok"), STEER]),
        &history(&[SYSTEM, &told, &told, STEER]),
        &["mended_orphan"],
    );
    check(
        "the result was cut away",
        &history(&[&one, STEER]),
        &history(&[&one, &lost("a"), STEER]),
        &["mended_missing"],
    );
    let interrupted = [result("x", "ok"), one.clone(), STEER.to_owned()];
    let mended = [told, one, lost("a"), STEER.to_owned()];
    check("both", &interrupted, &mended, &["mended_orphan", "mended_missing"]);
}

#[test]
fn of_two_results_the_first_real_one_is_kept() {
    let one = calls(&["a"]);
    let (ok, other) = (result("a", "ok"), result("a", "Error: no"));
    let cancelled = result("a", "Tool call look with id a was cancelled");
    for (what, given, expected) in [
        ("equal", vec![&ok, &ok, &ok], &ok),
        ("different", vec![&ok, &other], &ok),
        ("ours first", vec![&lost("a"), &ok], &ok),
        ("ours second", vec![&ok, &lost("a")], &ok),
        ("another's placeholder first", vec![&cancelled, &other, &ok], &other),
        ("only placeholders", vec![&cancelled, &lost("a")], &cancelled),
    ] {
        let mut history = history(&[USER, &one]);
        history.extend(given.into_iter().cloned());
        let expected = [USER, &one, expected, STEER].map(String::from);
        history.push(STEER.to_owned());
        check(what, &history, &expected, &["mended_duplicate"]);
    }
    let late = history(&[USER, &one, &lost("a"), STEER, &ok, WELL]);
    let told = history(&[USER, &one, &ok, STEER, WELL]);
    check("the real one comes late", &late, &told, &["mended_duplicate", "mended_moved"]);
}

#[test]
fn a_later_result_under_an_id_that_was_answered_is_not_lost_with_its_call() {
    let one = calls(&["c0"]);
    let told = |text: &str| format!(r#"{{"role":"user","content":"{ORPHAN}\n{text}"}}"#);
    let rain = result("c0", "London: rain");
    for first in ["Paris: sunny", "No results found.", "Order 5 was cancelled", "The job was aborted", ""] {
        let first = result("c0", first);
        for between in [&[WELL, STEER][..], &[STEER], &[SYSTEM], &[&calls(&["x"]), &result("x", "ok")]] {
            let given = |last: &str| {
                let mut all = history(&[USER, &one, &first]);
                all.extend(history(between));
                all.extend(history(&[last, USER]));
                all
            };
            let mended = mend(&read(body(&given(&rain))), &Notices::default()).unwrap().transcript;
            let told_all = elements(&mended);
            let (kept, last) = (given(&told("London: rain")), told("London: rain"));
            // An empty result says that it is one; nothing else is told otherwise than it was.
            let same = |(told, given): (&String, &String)| told == given || told.contains(NOTHING);
            assert!(told_all.len() == kept.len() && told_all.iter().zip(&kept).all(same), "{told_all:#?}");
            assert_eq!(told_all[told_all.len() - 2], last);
            assert!(mend(&mended, &Notices::default()).is_none(), "{told_all:#?}");
        }
    }
    check(
        "an equal one is one",
        &history(&[USER, &one, &rain, STEER, &rain, USER]),
        &history(&[USER, &one, &rain, STEER, USER]),
        &["mended_duplicate"],
    );
    check(
        "a real one gives way to none",
        &history(&[USER, &one, &result("c0", "No results found."), &result("c0", "Error: duplicate")]),
        &history(&[USER, &one, &result("c0", "No results found.")]),
        &["mended_duplicate"],
    );
}

#[test]
fn an_id_that_comes_again_means_the_nearest_open_call() {
    let one = calls(&["r"]);
    let (first, second) = (result("r", "first"), result("r", "second"));
    let both = [USER, &one, &first, STEER, &one, &second, STEER];
    check_sound("each answered", &body(&history(&both)));
    check(
        "the first has none",
        &history(&[USER, &one, STEER, &one, &second, STEER]),
        &history(&[USER, &one, &lost("r"), STEER, &one, &second, STEER]),
        &["mended_missing"],
    );
    check(
        "the second has none",
        &history(&[USER, &one, &first, STEER, &one, STEER]),
        &history(&[USER, &one, &first, STEER, &one, &lost("r"), STEER]),
        &["mended_missing"],
    );
    check(
        "a duplicate of the second answers no earlier one",
        &history(&[USER, &one, STEER, &one, &second, &second]),
        &history(&[USER, &one, &lost("r"), STEER, &one, &second]),
        &["mended_missing", "mended_duplicate"],
    );
    let (other, of_other) = (calls(&["s"]), result("s", "ok"));
    check(
        "a late one answers an earlier call",
        &history(&[USER, &one, STEER, &one, &second, STEER, &other, &of_other, &first]),
        &history(&[USER, &one, &first, STEER, &one, &second, STEER, &other, &of_other]),
        &["mended_moved"],
    );
}

#[test]
fn equal_calls_under_one_id_are_one_call() {
    let call = r#"{"id":"x","type":"function","function":{"name":"look","arguments":"{\"at\":0}"}}"#;
    let twice = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}, {call}]}}"#);
    let once = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#);
    let (ok, other) = (result("x", "ok"), result("x", "other"));
    for results in [vec![&ok], vec![&ok, &ok], vec![&ok, &other]] {
        let mut given = history(&[USER, &twice]);
        given.extend(results.into_iter().cloned());
        check("twice", &given, &history(&[USER, &once, &ok]), &["mended_duplicate"]);
    }
    check(
        "without a result",
        &history(&[USER, &twice]),
        &history(&[USER, &once, &lost("x")]),
        &["mended_duplicate", "mended_missing"],
    );
}

#[test]
fn other_calls_under_one_id_get_ids_of_their_own() {
    let given = calls(&["x", "y", "x", "x"]);
    let told = calls(&["x", "y", "x_dup1", "x_dup2"]);
    let results = |ids: [&str; 4]| ids.map(|id| result(id, "ok"));
    let mut expected = history(&[USER, &told]);
    expected.extend(results(["x", "x_dup1", "y", "x_dup2"]));
    let mut broken = history(&[USER, &given]);
    broken.extend(results(["x", "x", "y", "x"]));
    check("as many results", &broken, &expected, &["mended_duplicate"]);
    check(
        "fewer results",
        &history(&[USER, &calls(&["x", "x"]), &result("x", "ok")]),
        &history(&[USER, &calls(&["x", "x_dup1"]), &result("x", "ok"), &lost("x_dup1")]),
        &["mended_duplicate", "mended_missing"],
    );
    check(
        "an id that is there already",
        &history(&[
            USER,
            &calls(&["x_dup1", "x", "x"]),
            &result("x_dup1", "0"),
            &result("x", "1"),
            &result("x", "2"),
        ]),
        &history(&[
            USER,
            &calls(&["x_dup1", "x", "x_dup2"]),
            &result("x_dup1", "0"),
            &result("x", "1"),
            &result("x_dup2", "2"),
        ]),
        &["mended_duplicate"],
    );
    let long = "i".repeat(40);
    let transcript = read(body(&history(&[USER, &calls(&[&long, &long])])));
    let mended = mend(&transcript, &Notices::default()).unwrap().transcript;
    let ids = mended.call_ids(&mended.elements[1]);
    assert!(ids[1].len() <= 40 && ids[0] == long && ids[1].ends_with("_dup1"), "{ids:?}");
}

#[test]
fn a_call_whose_id_is_none_gets_one_and_so_does_its_result() {
    let call =
        |id: &str| format!(r#"{{{id}"type":"function","function":{{"name":"look","arguments":"{{}}"}}}}"#);
    let answer = |calls: &[String]| {
        format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
    };
    let of = |member: &str| format!(r#"{{"role":"tool",{member}"content":"ok"}}"#);
    for (id, named) in [
        (r#""id":"","#, r#""id":"call_1_0","#),
        (r#""id":null,"#, r#""id":"call_1_0","#),
        (r#""id": 7 ,"#, r#""id": "call_1_0" ,"#),
    ] {
        for (answers, told) in [
            (r#""tool_call_id":"","#, r#""tool_call_id":"call_1_0","#),
            (r#""tool_call_id":null,"#, r#""tool_call_id":"call_1_0","#),
            (r#""tool_call_id": 7,"#, r#""tool_call_id": "call_1_0","#),
        ] {
            check(
                "an id that is none",
                &history(&[USER, &answer(&[call(id)]), &of(answers), STEER]),
                &history(&[USER, &answer(&[call(named)]), &of(told), STEER]),
                &["mended_id"],
            );
        }
    }
    let [first, second] = ["call_1_1", "call_1_2"].map(|id| call(&format!(r#""id":"{id}","#)));
    check(
        "beside others, and without a result",
        &history(&[USER, &answer(&[call(r#""id":"a","#), call(r#""id":"","#), call(r#""id":"","#)])]),
        &history(&[
            USER,
            &answer(&[call(r#""id":"a","#), first.clone(), second]),
            &lost("a"),
            &lost("call_1_1"),
            &lost("call_1_2"),
        ]),
        &["mended_id", "mended_missing"],
    );
    check(
        "an id that is there already",
        &history(&[USER, &answer(&[first.clone(), call(r#""id":"","#)]), &result("call_1_1", "1"), &of("")]),
        &history(&[
            USER,
            &answer(&[first, call(r#""id":"call_1_1_dup1","#)]),
            &result("call_1_1", "1"),
            r#"{"role":"tool","content":"ok","tool_call_id":"call_1_1_dup1"}"#,
        ]),
        &["mended_id"],
    );
    // What the provider runs by itself has a form of its own.
    check_sound(
        "no call of ours",
        &body(&history(&[USER, &answer(&[r#"{"type":"web_search"}"#.to_owned()]), STEER])),
    );
}

#[test]
fn the_first_form_is_answered_in_its_own_words() {
    let call = r#"{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{}"}}"#;
    let ok = r#"{"role":"function","name":"look","content":"ok"}"#;
    let lost = format!(r#"{{"role":"function","name":"look","content":"{LOST_LOOK}"}}"#);
    check_sound("answered", &body(&history(&[USER, call, ok, call, ok, WELL])));
    check(
        "not answered",
        &history(&[USER, call, STEER]),
        &history(&[USER, call, &lost, STEER]),
        &["mended_missing"],
    );
    check(
        "answered late",
        &history(&[USER, call, STEER, ok]),
        &history(&[USER, call, ok, STEER]),
        &["mended_moved"],
    );
    check(
        "answered twice",
        &history(&[USER, call, ok, ok]),
        &history(&[USER, call, ok]),
        &["mended_duplicate"],
    );
}

#[test]
fn a_result_that_names_no_call_is_of_none_that_has_an_id() {
    let told = format!(r#"{{"role":"user","content":"{ORPHAN}\nok"}}"#);
    for unnamed in [
        r#"{"role":"tool","content":"ok"}"#,
        r#"{"role":"tool","tool_call_id":"","content":"ok"}"#,
        r#"{"role":"tool","name":"look","content":"ok"}"#,
    ] {
        check(
            "no call",
            &history(&[USER, unnamed, STEER]),
            &history(&[USER, &told, STEER]),
            &["mended_orphan"],
        );
        check(
            "a call with an id",
            &history(&[USER, &calls(&["a"]), unnamed, STEER]),
            &history(&[USER, &calls(&["a"]), &lost("a"), &told, STEER]),
            &["mended_missing", "mended_orphan"],
        );
        let (two, named, a) = (calls(&["a", ""]), calls(&["a", "call_1_1"]), result("a", "a"));
        let mended = mend(&read(body(&history(&[USER, &two, SYSTEM, unnamed, &a]))), &Notices::default());
        let mended = mended.unwrap();
        let [.., second, last] = &elements(&mended.transcript)[..] else { panic!("{mended:?}") };
        assert_eq!(elements(&mended.transcript)[..3], history(&[USER, &named, &a]), "one of each");
        assert!(second.contains(r#""tool_call_id":"call_1_1""#) && last == SYSTEM, "{second}");
        assert_eq!(codes(&mended), ["mended_id", "mended_moved"]);
    }
}

#[test]
fn a_late_result_of_the_second_of_two_equal_calls_is_not_lost() {
    let call = r#"{"id":"x","type":"function","function":{"name":"look","arguments":"{}"}}"#;
    let said = |calls: &str| format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#);
    let (ok, other) = (result("x", "ok"), result("x", "other"));
    let told = format!(r#"{{"role":"user","content":"{ORPHAN}\nother"}}"#);
    check(
        "late",
        &history(&[USER, &said(&format!("{call},{call}")), &ok, STEER, &other]),
        &history(&[USER, &said(call), &ok, STEER, &told]),
        &["mended_duplicate", "mended_orphan"],
    );
}

#[test]
fn what_cannot_be_understood_goes_through_as_it_came() {
    let nameless = r#"{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"look","arguments":"{}"}}]}"#;
    let unnamed = r#"{"role":"tool","content":"ok"}"#;
    let strange = r#"{"role":"assistant","tool_calls":[{"id":"a","type":"mcp","mcp":{"x":1}},7]}"#;
    let joined = r#"{"role":"assistantassistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\""}}]}"#;
    let one = calls(&["a"]);
    let (ok, other) = (result("a", "ok"), r#"{"role":"ipython","tool_call_id":"a","content":"ok"}"#);
    for given in [
        vec![USER, nameless, unnamed, STEER],
        vec![USER, nameless, STEER],
        vec![USER, strange, &ok, STEER],
        vec![USER, joined, &ok, STEER],
        vec![USER, joined, STEER],
        vec![USER, &one, other, STEER],
        vec![USER, other, other],
        vec!["null", "7", "\"x\"", "[]", "{}", r#"{"role":7,"content":{}}"#],
    ] {
        check_sound("as it came", &body(&history(&given)));
    }
}

#[test]
fn a_hostile_history_costs_no_more_than_its_length() {
    const MANY: usize = 5_000;
    let same: Vec<&str> = vec!["x"; MANY];
    let long = result("x", &"word ".repeat(20_000));
    let repeat = |element: &str| vec![element.to_owned(); MANY];
    let calls_then = |results: Vec<String>| [vec![calls(&same)], results].concat();
    for (what, given) in [
        ("one id, no result", calls_then(Vec::new())),
        ("one id, all results", calls_then(repeat(&result("x", "ok")))),
        ("duplicates of a long one", [vec![calls(&["x"]), long], repeat(&result("x", "ok"))].concat()),
        ("orphans", repeat(&result("x", "ok"))),
        ("calls in a row", repeat(&calls(&["x"]))),
        ("calls in a row, and results", [repeat(&calls(&["x"])), repeat(&result("x", "ok"))].concat()),
        ("results without an id", calls_then(repeat(r#"{"role":"tool","content":"x"}"#))),
    ] {
        let mended = mend(&read(body(&given)), &Notices::default());
        assert!(mended.is_some(), "{what}");
    }
}

#[test]
fn a_call_of_no_name_is_told_of_as_that() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":" ","arguments":"{}"}}]}"#;
    let mended = mend(&read(body(&history(&[USER, call, STEER]))), &Notices::default()).unwrap();
    let told = &elements(&mended.transcript)[2];
    assert_eq!(*told, result("a", &LOST_LOOK.replace("look", "?")));
}
