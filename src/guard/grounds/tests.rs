use super::*;
use crate::guard::notice::Locale;
use crate::wire::lenient::Reading;

/// What a model is told of arguments that cannot be read.
fn told(locale: Locale, arguments: &str) -> String {
    let Reading::Unreadable(why) = lenient::read(arguments) else { panic!("{arguments} is read") };
    Refusal::new(&Notices::new(locale), "edit", Grounds::Unreadable(why.into())).text
}

#[test]
fn says_why_arguments_cannot_be_read() {
    let told = |arguments| told(Locale::English, arguments);
    assert_eq!(
        told(r#"{"a":1 "b":2}"#),
        "Error: edit was not run: the arguments are not valid JSON: expected `,` or `}` at byte 7. Please fix your \
         mistakes."
    );
    assert_eq!(
        told("7"),
        "Error: edit was not run: the arguments are not a JSON object. Please fix your mistakes."
    );
    assert!(told(r#"{"a":"\d"}"#).contains(r"at byte 6; escape each backslash as \\. Please"));
    assert!(told("hello").contains("expected an object at byte 0"));
}

#[test]
fn says_it_in_each_language() {
    let told = Locale::ALL.map(|locale| told(locale, r#"{"a":1 "b":2}"#));
    insta::assert_snapshot!(told.join("\n"), @"
    Error: edit was not run: the arguments are not valid JSON: expected `,` or `}` at byte 7. Please fix your mistakes.
    错误：edit 未执行：参数不是有效的 JSON：字节位置 7 处应为：`,` 或 `}`。请修正你的错误。
    エラー: edit は実行されませんでした: 引数が正しい JSON ではありません。バイト位置 7 に必要なもの: `,` または `}`。誤りを修正してください。
    Fehler: edit wurde nicht ausgeführt: Die Argumente sind kein gültiges JSON: Bei Byte 7 wurde `,` oder `}` erwartet. Bitte behebe deine Fehler.
    Error: edit no se ejecutó: los argumentos no son JSON válido: se esperaba `,` o bien `}` en el byte 7. Por favor, corrige tus errores.
    Erreur : edit n'a pas été exécuté : les arguments ne sont pas du JSON valide : à l'octet 7, on attendait `,` ou `}`. Veuillez corriger vos erreurs.
    ");
}

#[test]
fn each_refusal_has_the_reason_and_the_text_of_its_grounds() {
    let notices = Notices::default();
    for (grounds, code, end) in [
        (Grounds::Truncated, "truncated", "Send less, or send it in pieces."),
        (
            Grounds::Unreadable(Unreadable::Several),
            "unreadable",
            "one call at a time. Please fix your mistakes.",
        ),
        (Grounds::Unreadable(Unreadable::List), "unreadable", "\"parameters\". Please fix your mistakes."),
        (Grounds::UnknownTool { names: "a, b" }, "unknown_tool", "from: a, b. Please fix your mistakes."),
        (Grounds::NoTools, "no_tools", "Answer in words."),
        (Grounds::Invalid { problems: "/a is bad" }, "invalid", "/a is bad. Please fix your mistakes."),
        (Grounds::Denied { reason: "Not here." }, "denied", "not allowed here. Not here."),
        (Grounds::Repeated { error: "failed" }, "repeated", "state plainly what you conclude."),
        (Grounds::Terminal { error: "failed" }, "terminal", "state plainly what you conclude."),
        (Grounds::TooLarge, "too_large", "Send less, or send it in pieces."),
        (
            Grounds::ProviderRefused { said: "no property 'at'" },
            "provider_refused",
            "\"no property 'at'\". Please fix your mistakes.",
        ),
        (
            Grounds::ProviderRefused { said: "" },
            "provider_refused",
            "an error without a message. Please fix your mistakes.",
        ),
    ] {
        let refusal = Refusal::new(&notices, &"x".repeat(500), grounds);
        assert_eq!(refusal.reason.code(), code);
        assert!(refusal.text.ends_with(end), "{}", refusal.text);
        assert!(
            refusal
                .text
                .starts_with(&format!("Error: {}… was not run", "x".repeat(super::super::notice::NAME)))
        );
        assert!(notices.wrote(&refusal.text));
        assert_eq!((refusal.key, refusal.resort), (None, Resort::Nothing));
    }
}
