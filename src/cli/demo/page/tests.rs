use super::*;
use crate::cli::demo::agent::Turn;
use crate::cli::demo::scene::SCENES;
use crate::cli::demo::story::Round;

const PLAIN: Page = Page { colour: false };

fn call(slug: &str, became: Became, result: &str) -> Judged {
    Judged {
        id: slug.to_owned(),
        name: "git_prepare_worktree".to_owned(),
        written: format!(r#"{{"branch_slug": "{slug}", "branch_kind": "fix"}}"#),
        answered: (became != Became::Kept).then(|| result.to_owned()),
        became,
        result: Some(result.to_owned()),
    }
}

fn story() -> Story {
    let refusal = "Error: git_prepare_worktree was not run: /branch_slug must match \
                   ^[a-z0-9]+(-[a-z0-9]+)*$, got \"a--b\". Please fix your mistakes.";
    let rewritten = Became::Rewritten(r#"{"branch_slug": "b", "branch_kind": "fix"}"#.to_owned());
    let rounds = vec![
        Round { text: "First.".to_owned(), calls: vec![call("a--b", Became::Kept, refusal)] },
        Round {
            text: "Again.".to_owned(),
            calls: vec![
                call("a-b", Became::Forwarded, "a-b: ready"),
                call("B", rewritten, r#"{"status":400,"Code":"NotFound"}"#),
            ],
        },
    ];
    let done = Round { text: "Done.".to_owned(), calls: Vec::new() };
    let answer = |rounds| Answer { turn: Turn::default(), rounds };
    Story::of(vec![answer(rounds), answer(vec![done])])
}

#[test]
fn tells_a_scene_by_who_speaks() {
    insta::assert_snapshot!(PLAIN.scene(2, &SCENES[1], &story()).trim(), @r#"
    2. A hopeless slug
    No rule mends this one. The model is told why, and corrects it: for the agent
    one answer.

      user     Open a branch for ticket a--b.
      model    First.
        calls  git_prepare_worktree {"branch_slug": "a--b", "branch_kind": "fix"}
      proxy    a--b: held back. The model reads: Error: git_prepare_worktree was not
               run: /branch_slug must match ^[a-z0-9]+(-[a-z0-9]+)*$, got "a--b".
               Please fix your mistakes.
      proxy    asks the model again, in the same answer
      model    Again.
        calls  git_prepare_worktree {"branch_slug": "a-b", "branch_kind": "fix"}
        calls  git_prepare_worktree {"branch_slug": "B", "branch_kind": "fix"}
      proxy    a-b: goes on as written
      proxy    rewritten: {"branch_slug": "b", "branch_kind": "fix"}
      agent    runs a-b → ready
      agent    runs b → {"status":400,"Code":"NotFound"}
      model    Done.
    "#);
}

#[test]
fn says_what_becomes_of_a_sibling_that_was_refused() {
    let mut story = story();
    let round = &mut story.answers[0].rounds[1];
    round.calls.push(call("-c", Became::Kept, "no"));
    let text = PLAIN.scene(4, &SCENES[3], &story);
    assert!(
        text.contains("\n  proxy    puts -c and its error back in place, in the next request\n"),
        "{text}"
    );
    assert!(!text.contains("puts a--b"), "a round that was asked again needs no such line");
}

#[test]
fn tables_one_call_a_line() {
    insta::assert_snapshot!(PLAIN.table(&[story()]).trim_matches('\n'), @r"
       the model wrote          the agent saw            the model saw
    1  a--b                     –                        refused, with the reason
       a-b                      a-b                      ready
       B                        b                        400 NotFound
    ");
}

#[test]
fn fits_a_terminal_of_eighty_columns() {
    let all = [
        PLAIN.opening(),
        PLAIN.scene(1, &SCENES[0], &story()),
        PLAIN.table(&[story()]),
        PLAIN.closing(&"x".repeat(32)),
    ];
    for line in all.concat().lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
}

#[test]
fn colours_only_where_asked_and_says_the_same() {
    let coloured = Page { colour: true }.scene(1, &SCENES[0], &story());
    let plain = PLAIN.scene(1, &SCENES[0], &story());
    assert!(!plain.contains('\x1b'));
    let escape = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
    assert_ne!(coloured, plain);
    assert_eq!(escape.replace_all(&coloured, ""), plain);
}

#[test]
fn breaks_words_that_are_longer_than_a_line() {
    let long = "x".repeat(WIDTH * 2);
    let text = wrapped(&format!("a {long} b"), 70);
    assert!(text.lines().all(|line| line.len() <= WIDTH && line.starts_with(&" ".repeat(70))), "{text}");
    assert_eq!(text.matches('x').count(), WIDTH * 2);
    assert_eq!(wrapped("", 3), "\n");
}
