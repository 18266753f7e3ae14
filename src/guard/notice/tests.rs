mod known;
mod language;

use super::*;

/// A text with the same value in each placeholder.
fn filled(notices: &Notices, notice: Notice, value: &str) -> String {
    let values: Vec<_> = notice.placeholders().iter().map(|name| (*name, value)).collect();
    notices.text(notice, &values)
}

/// All texts that stand alone.
fn whole() -> impl Iterator<Item = Notice> {
    Notice::ALL.into_iter().filter(|notice| notice.used() == Use::Whole)
}

#[test]
fn fills_each_placeholder_once_and_does_not_read_values_as_templates() {
    let text = Notices::default().text(Notice::Invalid, &[("tool", "{problems}"), ("problems", "/a is bad")]);
    assert_eq!(text, "Error: {problems} was not run: /a is bad. Please fix your mistakes.");
}

#[test]
fn an_empty_value_at_the_end_leaves_no_white_space() {
    let text = Notices::default().text(Notice::Denied, &[("tool", "bash")]);
    assert_eq!(text, "Error: bash was not run: this request is not allowed here.");
}

#[test]
fn an_equivalent_request_is_told_in_the_words_of_the_worked_example() {
    let error = "http_400:ResourceTypeNotFound: \"no such type\"";
    let text = Notices::default().text(Notice::Repeated, &[("tool", "aliyun_api"), ("error", error)]);
    assert_eq!(
        text,
        "Error: aliyun_api was not run. An equivalent request already failed with \
         http_400:ResourceTypeNotFound: \"no such type\". Sending it again will fail the same way. Find the cause \
         first; then change the request, take a path that does not depend on the rejected input, or state plainly \
         what you conclude."
    );
}

#[test]
fn an_override_is_used_in_the_place_of_a_text_that_stands_alone_or_of_a_part() {
    let mut notices = Notices::new(Locale::French);
    notices.replace("invalid", "Nothing was done with {tool}: {problems}!").unwrap();
    notices.replace("problem_type", "{place}: {kinds}").unwrap();
    assert_eq!(filled(&notices, Notice::Invalid, "x"), "Nothing was done with x: x!");
    assert_eq!(filled(&notices, Notice::ProblemType, "x"), "x: x");
    assert!(
        filled(&notices, Notice::ProblemForm, "x").starts_with("x doit avoir"),
        "others stay as they are"
    );
}

#[test]
fn things_are_told_one_after_another() {
    let items = |count: usize| ["a", "b", "c"].into_iter().take(count).map(str::to_owned);
    let notices = Notices::default();
    assert_eq!(notices.joined(Notice::ListNext, items(0)), "");
    assert_eq!(notices.joined(Notice::ListNext, items(1)), "a");
    assert_eq!(notices.joined(Notice::ListNext, items(3)), "a, b, c");
    assert_eq!(Notices::new(Locale::Chinese).joined(Notice::ListOr, items(2)), "a 或 b");
}

#[test]
fn braces_that_are_no_placeholder_are_words() {
    let mut notices = Notices::default();
    notices.replace("invalid", "Send {\"a\": {}} or {} to the tool {tool}, not {X").unwrap();
    let text = notices.text(Notice::Invalid, &[("tool", "t")]);
    assert_eq!(text, "Send {\"a\": {}} or {} to the tool t, not {X");
}

#[test]
fn says_what_is_known_when_an_override_is_wrong() {
    let mut notices = Notices::default();
    let unknown = notices.replace("invald", "x").unwrap_err();
    assert!(unknown.contains("`invald`") && unknown.contains("invalid, denied"), "{unknown}");
    let placeholder = notices.replace("invalid", "{tool} {problem}").unwrap_err();
    assert!(
        placeholder.contains("`{problem}`") && placeholder.contains("{tool}, {problems}"),
        "{placeholder}"
    );
    let none = notices.replace("problem_nothing", "{got}").unwrap_err();
    assert!(none.ends_with("this text has none"), "{none}");
    let bare = notices.replace("invalid", "{tool}: {problems}").unwrap_err();
    assert!(bare.contains("too few words"), "{bare}");
}

#[test]
fn words_weigh_by_what_they_say_and_not_by_their_letters() {
    let mut notices = Notices::default();
    for (text, enough) in [
        ("{tool} does not run", false),
        ("{tool} does not run here now", true),
        ("……！！？？——、、。。（）{tool}「」", false),
        ("{tool} 没有被执行，请", false),
        ("{tool} 没有被执行，请改正", true),
        ("{tool} を実行できません", false),
        ("{tool} を実行できませんでした。直してください", true),
    ] {
        assert_eq!(notices.replace("no_tools", text).is_ok(), enough, "{text}");
    }
}
