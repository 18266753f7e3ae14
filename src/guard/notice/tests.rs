use super::*;

fn filled(notice: Notice) -> String {
    let values: Vec<_> = notice.placeholders().iter().map(|name| (*name, "a {b} \"c\"\nd")).collect();
    Notices::default().text(notice, &values)
}

#[test]
fn fills_each_placeholder_once_and_does_not_read_values_as_templates() {
    let text = Notices::default().text(Notice::Invalid, &[("tool", "{problems}"), ("problems", "/a is bad")]);
    assert_eq!(text, "Error: {problems} was not run: /a is bad. Please fix your mistakes.");
}

#[test]
fn what_is_to_be_mended_ends_in_the_same_words() {
    let notices = [
        Notice::Invalid,
        Notice::Unreadable,
        Notice::UnknownTool,
        Notice::ProviderRefused,
        Notice::ResultCorrectable,
    ];
    for notice in notices {
        assert!(filled(notice).ends_with("Please fix your mistakes."), "{notice:?}");
    }
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
fn templates_name_only_placeholders_that_are_known_and_have_words_enough() {
    for notice in Notice::ALL {
        let mut notices = Notices::default();
        for locale in LOCALES {
            assert_eq!(notices.replace(notice.code(), locale(notice)), Ok(()), "{notice:?}");
        }
    }
}

#[test]
fn knows_its_own_texts_whatever_fills_them() {
    for notice in Notice::ALL.into_iter().filter(|notice| notice.is_known_again()) {
        assert!(Notices::default().wrote(&filled(notice)), "{notice:?}");
        assert!(Notices::default().wrote(&format!("  {}\n", filled(notice))), "{notice:?}");
        assert!(Notices::default().wrote(&Notices::default().text(notice, &[])), "{notice:?}");
    }
}

#[test]
fn does_not_take_a_tools_own_words_for_ours() {
    let notices = Notices::default();
    for text in [
        "",
        "Error: no such file",
        "Error: git was not run",
        "Error: git was not run: bad. Please fix your mistakes. Thanks",
        "It said: Error: git was not run: bad. Please fix your mistakes.",
        "Please fix your mistakes.",
        // A neutral error is the tool's own word, whoever wrote it.
        "Error: permission denied",
        "Error: [… 12 bytes left out …]",
        "[… 12 bytes left out …]",
        // LangGraph's way to report what a tool raised.
        "Error: ValueError('bad slug')\n Please fix your mistakes.",
    ] {
        assert!(!notices.wrote(text), "{text}");
    }
}

#[test]
fn a_text_may_hold_its_own_ending_in_the_middle() {
    let problems = "got \"x. Please fix your mistakes.\"";
    let text = Notices::default().text(Notice::Invalid, &[("tool", "t"), ("problems", problems)]);
    assert!(Notices::default().wrote(&text));
}

#[test]
fn an_override_is_used_and_the_built_in_text_is_still_known() {
    let mut notices = Notices::default();
    notices.replace("invalid", "Nothing was done with {tool}: {problems}!").unwrap();
    let text = notices.text(Notice::Invalid, &[("tool", "t"), ("problems", "p")]);
    assert_eq!(text, "Nothing was done with t: p!");
    assert!(notices.wrote(&text));
    assert!(notices.wrote(&filled(Notice::Invalid)));
    assert!(!Notices::default().wrote(&text));
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
    let bare = notices.replace("invalid", "{tool}: {problems}").unwrap_err();
    assert!(bare.contains("too few words"), "{bare}");
}

#[test]
fn the_words_of_a_text_frame_what_holds_them_in_order() {
    let mut notices = Notices::default();
    notices.replace("result_failed", "{tool} says: {error} (so far)").unwrap();
    for (notice, text, framed) in [
        (Notice::ResultCorrectable, "Error: x. Please fix your mistakes.", true),
        (Notice::ResultCorrectable, "Error: x\n Please fix your mistakes.", true),
        (Notice::ResultCorrectable, "Error: x.", false),
        (Notice::ResultCorrectable, "x. Please fix your mistakes.", false),
        (Notice::ResultFailed, "git says: no (so far)", true),
        (Notice::ResultFailed, "git: no (so far)", false),
        (Notice::ResultFailed, "(so far) git says: no", false),
    ] {
        assert_eq!(notices.frames(notice, text), framed, "{text}");
    }
}

#[test]
fn what_is_not_known_again_needs_no_words() {
    let mut notices = Notices::default();
    notices.replace("result_failed", "{error}").unwrap();
    notices.replace("result_cut", "[{bytes}]").unwrap();
    assert!(!notices.wrote("anything") && !notices.wrote("[12]"));
    assert!(notices.replace("result_correctable", "{error}").is_err());
}
