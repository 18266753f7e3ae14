use super::*;

#[track_caller]
fn told(notice: Notice, result: &str) -> String {
    let notices = Notices::default();
    let told = text(&notices, notice, "git_push", result, None).unwrap();
    assert_eq!(text(&notices, notice, "git_push", &told, None).as_ref(), Some(&told), "told twice");
    told
}

#[test]
fn only_three_classes_have_words_of_their_own() {
    for (class, expected) in [
        (ResultClass::Correctable, Some(Notice::ResultCorrectable)),
        (ResultClass::Failed, Some(Notice::ResultFailed)),
        (ResultClass::Terminal, Some(Notice::ResultTerminal)),
        (ResultClass::Transient, None),
        (ResultClass::Control, None),
        (ResultClass::Success, None),
    ] {
        assert_eq!(notice(class), expected);
    }
}

#[test]
fn a_correctable_error_asks_for_better() {
    for (result, expected) in [
        ("422: bad slug", "Error: 422: bad slug. Please fix your mistakes."),
        ("bad slug!", "Error: bad slug! Please fix your mistakes."),
        ("Error: bad slug", "Error: bad slug. Please fix your mistakes."),
        ("ERROR: error: bad slug.", "Error: bad slug. Please fix your mistakes."),
        ("bad slug. Please fix your mistakes.", "Error: bad slug. Please fix your mistakes."),
        (r#"{"status":422,"message":"bad slug"}"#, "Error: HTTP 422: bad slug. Please fix your mistakes."),
        (
            r#"{"status":422,"detail":[{"msg":"bad"}]}"#,
            r#"Error: {"status":422,"detail":[{"msg":"bad"}]} Please fix your mistakes."#,
        ),
        (
            r#"[{"type":"text","text":"1 validation error for Push\nslug\n  Field required [type=missing]"}]"#,
            "Error: 1 validation error for Push\nslug\n  Field required [type=missing] Please fix your mistakes.",
        ),
        (
            "Error: ValueError('x')\n Please fix your mistakes.",
            "Error: ValueError('x')\n Please fix your mistakes.",
        ),
        ("文字が違う。", "Error: 文字が違う。 Please fix your mistakes."),
    ] {
        assert_eq!(told(Notice::ResultCorrectable, result), expected);
    }
}

#[test]
fn a_failed_one_is_told_in_the_tools_own_words() {
    for (result, expected) in [
        ("permission denied", "Error: permission denied"),
        ("Permission denied.\n", "Error: Permission denied."),
        ("Error: permission denied", "Error: permission denied"),
        (r#"{"error":"permission denied"}"#, "Error: permission denied"),
        (r#"{"isError":true,"content":[{"type":"text","text":"Error: no"}]}"#, "Error: no"),
        ("permission denied. Please fix your mistakes.", "Error: permission denied."),
    ] {
        assert_eq!(told(Notice::ResultFailed, result), expected);
    }
}

#[test]
fn a_terminal_one_says_what_to_do_instead() {
    assert_eq!(
        told(Notice::ResultTerminal, r#"{"status":400,"Code":"NotFound","Message":"unknown type"}"#),
        "Error: git_push failed for good: {\"status\":400,\"Code\":\"NotFound\",\"Message\":\"unknown type\"} An \
         equivalent request will fail the same way, so do not send it again. Find the cause first; then change the \
         request, take a path that does not depend on the rejected input, or state plainly what you conclude."
    );
}

#[test]
fn what_says_nothing_is_left_alone() {
    let notices = Notices::default();
    for result in ["", "  ", "Error:", "please fix your mistakes."] {
        assert_eq!(text(&notices, Notice::ResultCorrectable, "t", result, None), None, "{result}");
    }
}

#[test]
fn another_wording_is_known_by_its_ends() {
    let mut notices = Notices::default();
    notices.replace("result_failed", "{tool} hat versagt: {error}").unwrap();
    notices.replace("result_correctable", "Fehler: {error} Bitte die Angaben berichtigen.").unwrap();
    let failed = text(&notices, Notice::ResultFailed, "t", "Error: no", None).unwrap();
    assert_eq!(failed, "t hat versagt: no");
    let correctable = text(&notices, Notice::ResultCorrectable, "t", "Error: no", None).unwrap();
    assert_eq!(correctable, "Fehler: no. Bitte die Angaben berichtigen.");
    assert_eq!(text(&notices, Notice::ResultCorrectable, "t", &correctable, None), Some(correctable));
    // Nothing around the error: nothing is done.
    notices.replace("result_failed", "{error}").unwrap();
    assert_eq!(text(&notices, Notice::ResultFailed, "t", "Error: no", None).unwrap(), "Error: no");
}

#[test]
fn a_long_error_keeps_both_ends() {
    let long = format!("first{}last", "é".repeat(5_000));
    let told = text(&Notices::default(), Notice::ResultCorrectable, "t", &long, Some(300)).unwrap();
    assert!(
        told.starts_with("Error: firsté") && told.ends_with("élast. Please fix your mistakes."),
        "{told}"
    );
    assert!(told.contains(" bytes left out …]") && told.len() <= 300, "{told}");
}

#[test]
fn the_words_around_an_error_count_and_what_was_told_within_a_limit_is_not_told_anew() {
    let notices = Notices::default();
    for notice in [Notice::ResultCorrectable, Notice::ResultFailed, Notice::ResultTerminal] {
        for before in ["", "Error: ", "Error: git_push failed for good: "] {
            for after in ["", " Please fix your mistakes."] {
                for (max, length) in [(20, 15), (60, 40), (300, 100), (300, 5_000), (700, 690), (700, 5_000)]
                {
                    let error = format!("{before}{}{after}", "x".repeat(length));
                    let Some(told) = text(&notices, notice, "git_push", &error, Some(max)) else { continue };
                    assert!(told.len() <= max, "{told}");
                    assert_eq!(text(&notices, notice, "git_push", &told, Some(max)), Some(told));
                }
            }
        }
    }
    assert_eq!(text(&notices, Notice::ResultTerminal, "t", "no", Some(100)), None);
}
