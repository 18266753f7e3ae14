//! The six languages say the same.

use std::collections::BTreeSet;

use super::*;

/// What is no word of a language: what JSON, schemas and APIs call things.
const TERMS: [&str; 7] = ["json", "tool_uses", "recipient_name", "parameters", "backslash", "byte", "tool"];

/// English words that no other of the six has.
const ENGLISH: [&str; 23] = [
    "the", "not", "run", "must", "got", "please", "fix", "your", "mistakes", "and", "or", "with", "member",
    "missing", "received", "known", "expected", "value", "of", "at", "more", "here", "names",
];

fn placeholders(text: &str) -> BTreeSet<String> {
    Template::new(text).placeholders().map(str::to_owned).collect()
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_text_has_the_same_placeholders_in_each() {
    for notice in Notice::ALL {
        let known: BTreeSet<String> = notice.placeholders().iter().map(|name| (*name).to_owned()).collect();
        for locale in Locale::ALL {
            let text = locale.text(notice);
            assert_eq!(placeholders(text), known, "{} in {}", notice.code(), locale.code());
            assert_eq!(Template::new(text).placeholders().count(), known.len(), "{text}");
        }
    }
}

#[test]
fn each_text_may_stand_in_the_configuration_as_it_is() {
    for locale in Locale::ALL {
        let mut notices = Notices::default();
        for notice in Notice::ALL {
            assert_eq!(notices.replace(notice.code(), locale.text(notice)), Ok(()), "{}", notice.code());
        }
    }
}

#[test]
fn keys_and_languages_are_named_once() {
    let keys: BTreeSet<&str> = Notice::ALL.map(Notice::code).into();
    assert_eq!(keys.len(), Notice::ALL.len());
    assert_eq!(Locale::ALL.map(Locale::code), ["en", "zh", "ja", "de", "es", "fr"]);
}

#[test]
fn filled_they_hold_all_values_and_no_brace() {
    for locale in Locale::ALL {
        let notices = Notices::new(locale);
        for notice in Notice::ALL {
            let text = filled(&notices, notice, "VALUE");
            assert_eq!(text.matches("VALUE").count(), notice.placeholders().len(), "{text}");
            assert!(!text.contains(['{', '}']) && !text.contains("  "), "{text}");
            assert_eq!(text.trim(), text, "{text}");
        }
    }
}

#[test]
fn what_stands_alone_ends_as_a_sentence_and_a_part_does_not() {
    for locale in Locale::ALL {
        let notices = Notices::new(locale);
        for notice in Notice::ALL {
            let text = filled(&notices, notice, "X");
            if notice.used() == Use::Part {
                assert!(!text.ends_with(['.', '。']), "{text}");
            } else if !locale.text(notice).ends_with('}') {
                // What is told in brackets ends in them, and what heads something else in a colon.
                assert!(text.ends_with(['.', '。', ')', '）', ':', '：']), "{text}");
            }
        }
    }
}

#[test]
fn what_is_to_be_mended_ends_in_the_same_words() {
    for (locale, words) in [
        (Locale::English, ". Please fix your mistakes."),
        (Locale::Chinese, "。请修正你的错误。"),
        (Locale::Japanese, "。誤りを修正してください。"),
        (Locale::German, ". Bitte behebe deine Fehler."),
        (Locale::Spanish, ". Por favor, corrige tus errores."),
        (Locale::French, ". Veuillez corriger vos erreurs."),
    ] {
        for notice in [Notice::Invalid, Notice::Unreadable, Notice::UnknownTool, Notice::ProviderRefused] {
            let text = filled(&Notices::new(locale), notice, "x");
            assert!(text.ends_with(words), "{text}");
        }
    }
}

#[test]
fn no_english_is_left_in_the_others() {
    for locale in Locale::ALL.into_iter().filter(|locale| *locale != Locale::English) {
        for notice in Notice::ALL {
            let text = filled(&Notices::new(locale), notice, "");
            for word in words(&text) {
                assert!(!ENGLISH.contains(&word.as_str()), "`{word}` in {text}");
                let is_term = TERMS.contains(&word.as_str());
                let is_foreign = word.chars().any(|c| c.is_ascii_alphabetic());
                if matches!(locale, Locale::Chinese | Locale::Japanese) {
                    assert!(is_term || !is_foreign, "`{word}` in {text}");
                }
            }
            let english = filled(&Notices::default(), notice, "");
            if words(&english).iter().any(|word| !TERMS.contains(&word.as_str())) {
                assert_ne!(text, english, "{}", notice.code());
            }
        }
    }
}
