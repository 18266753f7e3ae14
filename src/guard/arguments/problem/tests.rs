use super::*;

fn problems(schema: &str, text: &str) -> String {
    let schema = Schema::compile(schema, &[]);
    assert_eq!(schema.ignored(), None);
    told(text, &serde_json::from_str(text).unwrap(), &schema, &Notices::default())
}

#[test]
fn tells_place_expectation_and_what_was_got() {
    for (schema, text, expected) in [
        (
            r#"{"properties":{"branch_slug":{"pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"}}}"#,
            r#"{"branch_slug":"pj1--x"}"#,
            r#"/branch_slug must match ^[a-z0-9]+(-[a-z0-9]+)*$, got "pj1--x""#,
        ),
        (r#"{"properties":{"n":{"type":"integer"}}}"#, r#"{"n":"5"}"#, r#"/n must be integer, got "5""#),
        (
            r#"{"properties":{"n":{"type":["integer","null"]}}}"#,
            r#"{"n":1.10}"#,
            "/n must be null or integer, got 1.10",
        ),
        (r#"{"properties":{"u":{"enum":["a",2]}}}"#, r#"{"u":"b"}"#, r#"/u must be one of "a", 2, got "b""#),
        (r#"{"properties":{"u":{"const":"a"}}}"#, r#"{"u":"b"}"#, r#"/u must be "a", got "b""#),
        (
            r#"{"properties":{"s":{"maxLength":2}}}"#,
            r#"{"s":"abc"}"#,
            r#"/s must have at most 2 character(s), got "abc""#,
        ),
        (
            r#"{"properties":{"l":{"items":{"minimum":1}}}}"#,
            r#"{"l":[1,0]}"#,
            "/l/1 must be at least 1, got 0",
        ),
        (r#"{"minProperties":1}"#, "{}", "the arguments must have at least 1 member(s), got {}"),
    ] {
        assert_eq!(problems(schema, text), expected);
    }
}

#[test]
fn tells_what_is_missing_its_kind_and_what_came() {
    let schema = r#"{"properties":{"path":{"type":"string"},"n":{"type":"integer"},"any":{}},
        "required":["path","n","any"]}"#;
    assert_eq!(
        problems(schema, r#"{"file_path":"a","content":"b","n":1,"any":1}"#),
        r#"missing required "path" (string); received: file_path, content, n, any"#
    );
    assert_eq!(
        problems(schema, "{}"),
        r#"missing required "any", "n" (integer), "path" (string); received: nothing"#
            .replace(r#""any", "n" (integer), "path" (string)"#, r#""path" (string), "n" (integer), "any""#)
    );
    let nested = r#"{"properties":{"o":{"required":["a"],"properties":{"a":{"type":["string","null"]}}}}}"#;
    assert_eq!(
        problems(nested, r#"{"o":{"b":1}}"#),
        r#"/o: missing required "a" (string or null); received: b"#
    );
}

#[test]
fn tells_what_is_unknown_and_what_is_known() {
    let schema = r#"{"properties":{"a":{},"b":{}},"additionalProperties":false}"#;
    assert_eq!(problems(schema, r#"{"x":1}"#), r#"unknown member "x"; known: a, b"#);
    assert_eq!(problems(schema, r#"{"x":1,"y":2,"a":1}"#), r#"unknown members "x", "y"; known: a, b"#);
}

#[test]
fn tells_of_a_choice_what_comes_nearest() {
    let kinds = r#"{"properties":{"v":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}"#;
    assert_eq!(problems(kinds, r#"{"v":"x"}"#), r#"/v must be integer or null, got "x""#);
    let nested = r#"{"properties":{"v":{"anyOf":[{"type":"null"},{"type":"object","required":["a"],
        "properties":{"a":{"type":"string"}}}]}}}"#;
    assert_eq!(problems(nested, r#"{"v":{}}"#), r#"/v: missing required "a" (string); received: nothing"#);
    let pattern = r#"{"properties":{"v":{"anyOf":[{"type":"null"},{"type":"string","pattern":"^a"}]}}}"#;
    assert_eq!(problems(pattern, r#"{"v":"b"}"#), r#"/v must match ^a, got "b""#);
}

#[test]
fn what_is_valid_has_no_problems() {
    assert_eq!(problems(r#"{"required":["a"]}"#, r#"{"a":1}"#), "");
}

#[test]
fn an_overlay_is_told_at_its_place() {
    let schema = Schema::compile("{}", &[("/o/s", r#"{"maxLength":1}"#)]);
    let text = r#"{"o":{"s":"ab"}}"#;
    assert_eq!(
        told(text, &serde_json::from_str(text).unwrap(), &schema, &Notices::default()),
        r#"/o/s must have at most 1 character(s), got "ab""#
    );
}

#[test]
fn the_same_problem_is_told_once() {
    let own = r#"{"properties":{"s":{"type":"string"}}}"#;
    let schema = Schema::compile(own, &[("/s", r#"{"type":"string"}"#)]);
    let text = r#"{"s":5}"#;
    let told = told(text, &serde_json::from_str(text).unwrap(), &schema, &Notices::default());
    assert_eq!(told, "/s must be string, got 5");
}

#[test]
fn a_name_that_is_not_accepted_is_told_as_a_value_would_be() {
    assert_eq!(
        problems(r#"{"propertyNames":{"pattern":"^[a-z]+$"}}"#, r#"{"Ab":1}"#),
        r#"the arguments must have other member names: a name must match ^[a-z]+$, got "Ab""#
    );
}

#[test]
fn what_is_told_reads_right_in_each_language() {
    use crate::guard::notice::Locale;
    let schema = r#"{"properties":{"n":{"type":["integer","null"]},"u":{"enum":["a","b","c"]}},
        "required":["n","path"],"maxProperties":2}"#;
    let text = r#"{"n":"5","u":"d","more":[]}"#;
    let told = Locale::ALL.map(|locale| {
        let schema = Schema::compile(schema, &[]);
        told(text, &serde_json::from_str(text).unwrap(), &schema, &Notices::new(locale))
    });
    insta::assert_snapshot!(told.join("\n"), @r#"
    missing required "path"; received: n, u, more; the arguments must have at most 2 member(s), got {"n":"5","u":"d","more":[]}; /n must be null or integer, got "5"; /u must be one of "a", "b", "c", got "d"
    缺少必需的 "path"；收到：n、u、more；参数对象：最多只能有 2 个成员，收到：{"n":"5","u":"d","more":[]}；/n：类型必须是 null 或 integer，收到："5"；/u：必须是以下值之一："a"、"b"、"c"，收到："d"
    必須の "path" がありません（受け取ったもの: n、u、more）。引数オブジェクト: メンバーは 2 個以下でなければなりません（受け取った値: {"n":"5","u":"d","more":[]}）。/n: 型は null または integer でなければなりません（受け取った値: "5"）。/u: 次の値のいずれかでなければなりません: "a"、"b"、"c"（受け取った値: "d"）
    Pflichtangaben fehlen: "path"; erhalten: n, u, more; das Argumentobjekt darf höchstens 2 Eigenschaft(en) haben, erhalten: {"n":"5","u":"d","more":[]}; /n muss vom Typ null oder integer sein, erhalten: "5"; /u muss einer dieser Werte sein: "a", "b", "c", erhalten: "d"
    campos obligatorios que faltan: "path"; recibido: n, u, more; el objeto de argumentos debe tener como máximo 2 campo(s), pero se recibió {"n":"5","u":"d","more":[]}; /n debe ser de tipo null o bien integer, pero se recibió "5"; /u debe ser uno de estos valores: "a", "b", "c", pero se recibió "d"
    champs obligatoires manquants : "path" ; reçu : n, u, more ; l'objet des arguments doit avoir au plus 2 champ(s), reçu : {"n":"5","u":"d","more":[]} ; /n doit être de type null ou integer, reçu : "5" ; /u doit être l'une de ces valeurs : "a", "b", "c", reçu : "d"
    "#);
}

#[test]
fn is_bounded_whatever_comes() {
    let many: Vec<String> = (0..300).map(|n| format!("\"k{n}\":\"{}\"", "ä".repeat(300))).collect();
    let text = format!("{{{}}}", many.join(","));
    let strict = problems(r#"{"additionalProperties":{"type":"integer"},"required":["a"]}"#, &text);
    assert!(strict.chars().count() < 2_500, "{strict}");
    assert!(strict.contains("more"));
    let closed = problems(r#"{"additionalProperties":false}"#, &text);
    assert!(closed.chars().count() < 2_500, "{closed}");
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(10_000));
    let schema = format!(r#"{{"properties":{{"a":{{"pattern":"^{}$"}}}}}}"#, "y".repeat(1_000));
    assert!(problems(&schema, &long).chars().count() < 400);
}
