//! JSON inside a JSON string, looked at where it stands: no escape is taken out first.
//!
//! Histories are full of it, and unescaping it to see that nothing is wrong with it costs more than all else that
//! is done to them. What is written in an unusual way is not read here: it has to be looked at again.

use memchr::memchr;

/// Walks the text between the quotes of the outer string.
struct Nested<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Containers in one another that are followed.
const DEEPEST: u32 = 63;

/// Whether the text between the quotes of a well-formed string is seen to be one well-formed object, white space
/// around it allowed. Never wrong in saying yes.
pub(super) fn is_object(raw: &str) -> bool {
    let mut nested = Nested { bytes: raw.as_bytes(), at: 0 };
    nested.object().is_some() && nested.at == nested.bytes.len()
}

// === impl Nested ===

impl Nested<'_> {
    /// Passes an object and what is in it. `None` where that is not seen to be well-formed.
    fn object(&mut self) -> Option<()> {
        self.pass_white_space();
        if self.peek() != Some(b'{') {
            return None;
        }
        // One bit for each open container, set for an object; the outermost 1 is none.
        let mut open: u64 = 1;
        loop {
            // Here a value begins.
            match self.peek()? {
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    self.pass_white_space();
                    let is_object = bracket == b'{';
                    if self.peek() != Some(if is_object { b'}' } else { b']' }) {
                        if open.leading_zeros() < u64::BITS - DEEPEST {
                            return None;
                        }
                        open = open << 1 | u64::from(is_object);
                        if is_object {
                            self.name()?;
                        }
                        continue;
                    }
                    self.at += 1;
                }
                b'\\' => self.string()?,
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => self.number()?,
            }
            // And here one has ended.
            loop {
                self.pass_white_space();
                if open == 1 {
                    return Some(());
                }
                let is_object = open & 1 == 1;
                match self.next()? {
                    b',' => {
                        self.pass_white_space();
                        if is_object {
                            self.name()?;
                        }
                        break;
                    }
                    b'}' if is_object => open >>= 1,
                    b']' if !is_object => open >>= 1,
                    _ => return None,
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn pass_white_space(&mut self) {
        loop {
            match (self.peek(), self.bytes.get(self.at + 1)) {
                (Some(b' '), _) => self.at += 1,
                (Some(b'\\'), Some(b'n' | b't' | b'r')) => self.at += 2,
                _ => return,
            }
        }
    }

    /// A member's name and its colon, up to its value.
    fn name(&mut self) -> Option<()> {
        self.string()?;
        self.pass_white_space();
        self.expect(b':')?;
        self.pass_white_space();
        Some(())
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A string, from its escaped quote on.
    fn string(&mut self) -> Option<()> {
        self.expect(b'\\')?;
        self.expect(b'"')?;
        loop {
            self.at += memchr(b'\\', self.bytes.get(self.at..)?)? + 1;
            match self.next()? {
                b'"' => return Some(()),
                b'/' => {}
                // An escape of the string's own: a backslash, written as two.
                b'\\' => match self.next()? {
                    b'b' | b'f' | b'n' | b'r' | b't' | b'/' => {}
                    b'u' => self.digits(4, u8::is_ascii_hexdigit)?,
                    b'\\' => match self.next()? {
                        b'"' | b'\\' => {}
                        _ => return None,
                    },
                    _ => return None,
                },
                // Control characters may not stand in a string; what `\u` stands for is not looked at.
                _ => return None,
            }
        }
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        let found = self.bytes.get(self.at..)?.starts_with(word);
        self.at += word.len();
        found.then_some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.run()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.run()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.run()?;
        }
        Some(())
    }

    /// One decimal digit or more.
    fn run(&mut self) -> Option<()> {
        self.digits(1, u8::is_ascii_digit)?;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Some(())
    }

    fn digits(&mut self, count: usize, is_digit: impl Fn(&u8) -> bool) -> Option<()> {
        let digits = self.bytes.get(self.at..self.at + count)?;
        self.at += count;
        digits.iter().all(is_digit).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_object;
    use crate::wire::canonical::quote;
    use crate::wire::span::{Json, Kind};

    fn seen(text: &str) -> bool {
        let quoted = quote(text);
        is_object(Json::trusted(&quoted).raw_string().unwrap())
    }

    #[test]
    fn usual_arguments_are_seen_to_be_an_object() {
        for text in [
            "{}",
            " { } \n",
            r#"{"path":"src/a.rs","line":-12.5e+3,"all":[true,false,null,[],{}]}"#,
            "{\n\t\"text\" : \"a\\nb \\\"c\\\" \\\\ \\u00e9 é 🧪\" ,\n \"x\":[ 1 , {\"y\":0} ]\n}",
            r#"{"a/b":"c\/d"}"#,
        ] {
            assert!(seen(text), "{text}");
        }
        assert!(is_object(r#"{\"a\/b\":\"é\"}"#));
    }

    #[test]
    fn what_is_broken_is_not() {
        for text in [
            "",
            "null",
            "[]",
            "{",
            "{}}",
            "{} {}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":01}"#,
            r#"{"a":1.}"#,
            r#"{"a":"b}"#,
            r#"{"a":"C:\dir"}"#,
            r#"{"a":"\u12g4"}"#,
            "{\"a\":\"b\nc\"}",
            "{'a':1}",
            r#"{"a":tru}"#,
            r#"{"a":[1}]"#,
            r#"{"a":1 "b":2}"#,
            r"{,}",
            r#"{"a":[,]}"#,
            r#""{}""#,
            r#"{"a":"b"c"}"#,
        ] {
            assert!(!seen(text), "{text}");
        }
        // Too deep to follow, or written as nobody writes it.
        assert!(!seen(&format!("{{\"a\":{}{}}}", "[".repeat(70), "]".repeat(70))));
        assert!(!is_object(r"\u007b}"));
    }

    proptest! {
        #[test]
        fn never_wrong_in_saying_yes(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", "a", "1", "0", "-", ".", "e", "true", "null", " ", "\n", "\\n", "\\u00e9", "é",
                "\"a\":1", "{\"a\":", "\"b\"",
            ]), 0..14),
            whole in any::<bool>(),
        ) {
            let inside = pieces.concat();
            let text = if whole { format!("{{\"a\":[{inside}]}}") } else { inside };
            let is_one = Json::parse(&text).is_ok_and(|json| json.kind() == Kind::Object);
            // With the escapes that these pieces hold, it is never wrong in saying no either.
            prop_assert_eq!(seen(&text), is_one, "{}", text);
        }
    }
}
