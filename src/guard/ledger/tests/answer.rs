//! What answers do to the ledger, and what it then refuses.

use super::*;

#[test]
fn a_failed_call_is_not_made_again_at_once() {
    let ledger = ledger(&[&[("mkdir a", Badly)]]);
    let precedent = ledger.stands("mkdir a").unwrap();
    assert_eq!((precedent.excerpt.as_str(), precedent.terminal, precedent.count), ("boom", false, 1));
    assert!(!ledger.is_empty());
}

#[test]
fn other_arguments_and_other_tools_are_other_calls() {
    let ledger = ledger(&[&[("mkdir a", Badly)]]);
    assert!(!ledger.refuses("mkdir b"));
    assert!(!ledger.refuses("touch a"));
}

#[test]
fn successes_never_enter() {
    assert!(ledger(&[&[("mkdir a", Well)], &[("get a", Well)]]).is_empty());
}

#[test]
fn transient_failures_and_interrupts_never_enter() {
    assert!(
        ledger(&[&[("mkdir a", Transiently)], &[("get a", Transiently)], &[("mkdir b", Interrupted)]])
            .is_empty()
    );
}

#[test]
fn a_transient_end_leaves_an_earlier_failure_standing() {
    assert!(ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Transiently)]]).refuses("mkdir a"));
}

#[test]
fn reading_leaves_failures_standing() {
    for end in [Well, Badly, Transiently, Unanswered] {
        assert!(ledger(&[&[("mkdir a", Badly)], &[("get b", end)]]).refuses("mkdir a"));
    }
}

#[test]
fn whatever_may_have_changed_the_world_takes_failures_off() {
    for end in [Well, Badly, Transiently, Interrupted, Unanswered] {
        assert!(!ledger(&[&[("mkdir a/b", Badly)], &[("mkdir a", end)]]).refuses("mkdir a/b"));
    }
}

#[test]
fn a_refused_call_changed_nothing() {
    let ledger = ledger(&[&[("mkdir a", Badly)], &[("mkdir b", NeverRun)]]);
    assert!(ledger.refuses("mkdir a"));
    assert!(!ledger.refuses("mkdir b"));
}

#[test]
fn a_call_does_not_take_off_its_own_failure() {
    let ledger = ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Badly)]]);
    assert_eq!(ledger.stands("mkdir a").unwrap().count, 2);
}

#[test]
fn a_success_takes_its_own_failure_off() {
    assert!(ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Well)]]).is_empty());
    assert!(ledger(&[&[("get a", Badly)], &[("get a", Well)]]).is_empty());
    assert!(ledger(&[&[("get a", ForGood)], &[("get a", Well)]]).is_empty());
}

#[test]
fn siblings_take_off_each_others_failures() {
    let ledger = ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Badly), ("mkdir b", Badly)]]);
    assert!(ledger.is_empty());
}

#[test]
fn a_failure_beside_a_change_does_not_enter() {
    for end in [Well, Badly, Transiently, Unanswered] {
        assert!(!ledger(&[&[("get a", Badly), ("mkdir b", end)]]).refuses("get a"));
        assert!(!ledger(&[&[("mkdir b", end), ("get a", Badly)]]).refuses("get a"));
    }
}

#[test]
fn a_failure_beside_readings_or_refused_calls_enters() {
    for sibling in [("get b", Well), ("get b", Badly), ("mkdir b", NeverRun)] {
        assert!(ledger(&[&[("mkdir a", Badly), sibling]]).refuses("mkdir a"));
    }
}

#[test]
fn equal_readings_of_one_answer_each_count() {
    assert_eq!(ledger(&[&[("get a", Badly), ("get a", Badly)]]).stands("get a").unwrap().count, 2);
    assert!(ledger(&[&[("mkdir a", Badly), ("mkdir a", Badly)]]).is_empty());
}

#[test]
fn a_call_whose_arguments_cannot_be_read_may_have_changed_anything() {
    let mut ledger = ledger(&[&[("mkdir a", Badly)]]);
    ledger.settle(&[step("mkdir", Badly)], &mut |_| None);
    assert!(ledger.is_empty());
}

#[test]
fn keys_are_asked_for_only_when_they_matter() {
    let mut ledger = ledger(&[]);
    let mut asked = Vec::new();
    let mut key = |index| {
        asked.push(index);
        Some(super::key("mkdir a"))
    };
    ledger.settle(&[step("mkdir a", Well), step("get b", Well), step("mkdir c", Transiently)], &mut key);
    ledger.settle(&[step("get a", Well), step("get b", Badly)], &mut key);
    assert_eq!(asked, [1]);
}

#[test]
fn terminal_failures_outlive_changes() {
    let ledger =
        ledger(&[&[("mkdir a", ForGood)], &[("mkdir b", Well)], &[("mkdir c", Badly), ("mkdir d", Well)]]);
    let precedent = ledger.stands("mkdir a").unwrap();
    assert_eq!((precedent.terminal, precedent.excerpt.as_str()), (true, "gone"));
}

#[test]
fn terminal_failures_enter_beside_a_change() {
    assert!(ledger(&[&[("mkdir a", ForGood), ("mkdir b", Well)]]).refuses("mkdir a"));
}

#[test]
fn terminal_failures_do_not_outlive_the_users_word() {
    let mut ledger = ledger(&[&[("mkdir a", ForGood)], &[("get b", Badly)]]);
    ledger.reopen(false);
    assert!(ledger.is_empty());
}

#[test]
fn what_is_terminal_stays_so_when_it_fails_otherwise() {
    let ledger = ledger(&[&[("mkdir a", ForGood)], &[("mkdir a", Badly)], &[("mkdir b", Well)]]);
    let precedent = ledger.stands("mkdir a").unwrap();
    assert_eq!((precedent.terminal, precedent.excerpt.as_str(), precedent.count), (true, "gone", 2));
}

#[test]
fn a_failure_can_become_terminal() {
    let ledger = ledger(&[&[("mkdir a", Badly)], &[("mkdir a", ForGood)], &[("mkdir b", Well)]]);
    assert_eq!(ledger.stands("mkdir a").unwrap().count, 2);
}

#[test]
fn a_changing_sibling_before_it_opens_the_way() {
    let ledger = ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Badly)]]);
    let (key, call) = (key("mkdir a"), call("mkdir", "{}"));
    assert!(ledger.precedent(&key, &call, &ToolPolicy::default(), true).is_none());
    assert!(ledger.precedent(&key, &call, &ToolPolicy::default(), false).is_some());
}

#[test]
fn no_sibling_opens_the_way_to_what_is_terminal() {
    let ledger = ledger(&[&[("mkdir a", ForGood)]]);
    assert!(ledger.precedent(&key("mkdir a"), &call("mkdir", "{}"), &ToolPolicy::default(), true).is_some());
}

#[test]
fn the_oldest_of_129_failures_goes_first() {
    let names: Vec<String> = (0..129).map(|number| format!("get {number}")).collect();
    let mut ledger = Ledger::with_capacity(128);
    for name in &names[..128] {
        settle(&mut ledger, &[(name, Badly)]);
    }
    assert!(names[..128].iter().all(|name| ledger.refuses(name)));
    settle(&mut ledger, &[(&names[128], Badly)]);
    assert!(!ledger.refuses(&names[0]));
    assert!(names[1..].iter().all(|name| ledger.refuses(name)));
}

#[test]
fn a_call_that_failed_again_is_no_longer_the_oldest() {
    let mut ledger = Ledger::with_capacity(2);
    for name in ["get a", "get b", "get a", "get c"] {
        settle(&mut ledger, &[(name, Badly)]);
    }
    assert!(ledger.refuses("get a") && ledger.refuses("get c") && !ledger.refuses("get b"));
}

#[test]
fn terminal_failures_count_towards_the_capacity() {
    let mut ledger = Ledger::with_capacity(2);
    for (name, end) in [("get a", ForGood), ("get b", Badly), ("get c", Badly)] {
        settle(&mut ledger, &[(name, end)]);
    }
    assert!(!ledger.refuses("get a") && ledger.refuses("get b") && ledger.refuses("get c"));
    let mut none = Ledger::with_capacity(0);
    settle(&mut none, &[("get a", ForGood)]);
    assert!(none.is_empty());
}

#[test]
fn the_operator_may_want_more_failures() {
    let policy = ToolPolicy { after: Some(2), ..ToolPolicy::default() };
    let refuses =
        |ledger: &Ledger| ledger.precedent(&key("mkdir a"), &call("mkdir", "{}"), &policy, false).is_some();
    assert!(!refuses(&ledger(&[&[("mkdir a", Badly)]])));
    assert!(refuses(&ledger(&[&[("mkdir a", Badly)], &[("mkdir a", Saying("other"))]])));
    assert!(refuses(&ledger(&[&[("mkdir a", ForGood)]])));
}

#[test]
fn a_shell_may_fail_twice_unless_it_says_the_same() {
    let one = ledger(&[&[("bash a", Saying("x"))]]);
    let same = ledger(&[&[("bash a", Saying("x"))], &[("bash a", Saying("x"))]]);
    let two = ledger(&[&[("bash a", Saying("x"))], &[("bash a", Saying("xy"))]]);
    let three =
        ledger(&[&[("bash a", Saying("x"))], &[("bash a", Saying("xy"))], &[("bash a", Saying("x"))]]);
    assert!(!one.refuses("bash a") && same.refuses("bash a"));
    assert!(!two.refuses("bash a") && three.refuses("bash a"));
}

#[test]
fn what_shells_fail_at_is_forgotten_by_changes_in_between() {
    let ledger = ledger(&[&[("bash a", Badly)], &[("edit b", Well)], &[("bash a", Badly)]]);
    assert!(!ledger.refuses("bash a"));
}

#[test]
fn the_operators_count_holds_for_shells() {
    let policy = ToolPolicy { after: Some(1), ..ToolPolicy::default() };
    let one = ledger(&[&[("bash a", Badly)]]);
    assert!(one.precedent(&key("bash a"), &call("bash", "{}"), &policy, false).is_some());
    let policy = ToolPolicy { after: Some(3), ..ToolPolicy::default() };
    let two = ledger(&[&[("bash a", Badly)], &[("bash a", Badly)]]);
    assert!(two.precedent(&key("bash a"), &call("bash", "{}"), &policy, false).is_none());
}

#[test]
fn a_shell_that_waits_is_polling() {
    let same = ledger(&[&[("bash a", Badly)], &[("bash a", Badly)], &[("bash a", Badly)]]);
    let refuses = |arguments: &str| {
        same.precedent(&key("bash a"), &call("bash", arguments), &ToolPolicy::default(), false).is_some()
    };
    assert!(!refuses(r#"{"command":"sleep 5; curl localhost"}"#));
    assert!(refuses(r#"{"command":"curl localhost"}"#));
}

#[test]
fn waiting_words_excuse_only_shells() {
    let ledger = ledger(&[&[("mkdir a", Badly)]]);
    let call = call("mkdir", r#"{"path":"wait"}"#);
    assert!(ledger.precedent(&key("mkdir a"), &call, &ToolPolicy::default(), false).is_some());
}

#[test]
fn what_is_terminal_holds_for_shells_at_once() {
    let ledger = ledger(&[&[("bash a", ForGood)]]);
    let call = call("bash", r#"{"command":"sleep 5"}"#);
    assert!(ledger.precedent(&key("bash a"), &call, &ToolPolicy::default(), false).is_some());
}
