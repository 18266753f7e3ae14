//! Reads what Python's `repr` prints of a result, and writes it as JSON.
//!
//! `{'ok': False}`, `[TextContent(type='text', text='…')]`, `content='…' isError=True`. An object's fields
//! become members. Text that is anything else, source code above all, is left alone: the whole of it has to
//! be one printed value.

use crate::wire::canonical::quote;

/// Values nested one in another, at most.
const DEPTH: usize = 32;

/// The printed value as JSON; `None` for text that is none.
pub(in crate::guard) fn to_json(text: &str) -> Option<String> {
    // What begins otherwise is prose or source code, and there is much of it.
    let begins = |c: char| matches!(c, '{' | '[' | '(') || c.is_ascii_alphabetic() || c == '_';
    let mut repr = Repr { text, at: 0, json: String::new() };
    if !text.starts_with(begins) {
        return None;
    }
    match repr.peek()? {
        '{' | '[' | '(' => repr.value(DEPTH)?,
        _ => repr.printed_object()?,
    }
    (repr.at == text.len()).then_some(repr.json)
}

/// Where the reading stands, and what has been written.
struct Repr<'a> {
    text: &'a str,
    at: usize,
    json: String,
}

// === impl Repr ===

impl<'a> Repr<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: char) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at += token.len_utf8();
        }
        found
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Passes over the characters that `belongs` accepts.
    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = rest.split(|c: char| !belongs(c)).next().unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn name(&mut self) -> Option<&'a str> {
        let starts = self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        starts.then(|| self.take(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
    }

    /// `Name(field=value, …)`, or the bare `field=value field=value` of pydantic's `str`.
    fn printed_object(&mut self) -> Option<()> {
        let start = self.at;
        self.name()?;
        match self.peek()? {
            '(' => {
                self.at = start;
                self.value(DEPTH)
            }
            '=' => {
                self.at = start;
                self.fields(None, DEPTH)
            }
            _ => None,
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.peek()? {
            '\'' | '"' => self.string(),
            '[' => self.list(']', depth),
            '(' => self.list(')', depth),
            '{' => self.dictionary(depth),
            '<' => self.opaque(),
            '-' | '0'..='9' => {
                self.number();
                Some(())
            }
            _ => self.named(depth),
        }
    }

    /// A constant, a call, or a name that stands for itself.
    fn named(&mut self, depth: usize) -> Option<()> {
        let name = self.name()?;
        if self.eat('(') {
            return self.fields(Some(')'), depth);
        }
        if matches!(name, "b" | "u") && matches!(self.peek(), Some('\'' | '"')) {
            return self.string();
        }
        match name {
            "True" => self.json.push_str("true"),
            "False" => self.json.push_str("false"),
            "None" | "nan" | "inf" => self.json.push_str("null"),
            other => self.json.push_str(&quote(other)),
        }
        Some(())
    }

    /// Fields up to `close`, or to the end of the text. Those without a name are numbered.
    fn fields(&mut self, close: Option<char>, depth: usize) -> Option<()> {
        self.json.push('{');
        for index in 0_usize.. {
            self.space();
            if close.map_or(self.rest().is_empty(), |close| self.eat(close)) {
                break;
            }
            if index > 0 {
                self.json.push(',');
            }
            let start = self.at;
            match self.name() {
                Some(name) if self.eat('=') => self.json.push_str(&quote(name)),
                _ if close.is_some() => {
                    self.at = start;
                    self.json.push_str(&quote(&index.to_string()));
                }
                _ => return None,
            }
            self.json.push(':');
            self.value(depth)?;
            self.space();
            if !self.eat(',') && close.is_some_and(|close| self.peek() != Some(close)) {
                return None;
            }
        }
        self.json.push('}');
        Some(())
    }

    fn list(&mut self, close: char, depth: usize) -> Option<()> {
        self.at += 1;
        self.json.push('[');
        for index in 0_usize.. {
            self.space();
            if self.eat(close) {
                break;
            }
            if index > 0 {
                self.json.push(',');
            }
            self.value(depth)?;
            self.space();
            if !self.eat(',') && self.peek() != Some(close) {
                return None;
            }
        }
        self.json.push(']');
        Some(())
    }

    fn dictionary(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        self.json.push('{');
        for index in 0_usize.. {
            self.space();
            if self.eat('}') {
                break;
            }
            if index > 0 {
                self.json.push(',');
            }
            self.key()?;
            self.space();
            if !self.eat(':') {
                return None;
            }
            self.json.push(':');
            self.space();
            self.value(depth)?;
            self.space();
            if !self.eat(',') && self.peek() != Some('}') {
                return None;
            }
        }
        self.json.push('}');
        Some(())
    }

    /// A dictionary's key: a string, or something that becomes one.
    fn key(&mut self) -> Option<()> {
        if matches!(self.peek()?, '\'' | '"') {
            return self.string();
        }
        let key = self.take(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        self.json.push_str(&quote(key));
        (!key.is_empty()).then_some(())
    }

    fn number(&mut self) {
        let token = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'));
        if crate::wire::span::Json::parse(token).is_ok() {
            self.json.push_str(token);
        } else {
            self.json.push_str(&quote(token));
        }
    }

    /// `<Color.RED: 1>`, `<object at 0x7f…>`: kept as text.
    fn opaque(&mut self) -> Option<()> {
        let length = self.rest().find('>')? + 1;
        let token = self.rest().get(..length)?;
        self.at += length;
        self.json.push_str(&quote(token));
        Some(())
    }

    /// A string in either kind of quotes, its escapes understood.
    fn string(&mut self) -> Option<()> {
        let mark = self.peek()?;
        self.at += 1;
        let mut value = String::new();
        loop {
            value.push_str(self.take(|c| c != mark && c != '\\' && c != '\n'));
            if self.eat(mark) {
                break;
            }
            // `repr` never leaves a line break in a string.
            if !self.eat('\\') {
                return None;
            }
            value.push(self.escaped()?);
        }
        self.json.push_str(&quote(&value));
        Some(())
    }

    fn escaped(&mut self) -> Option<char> {
        let escape = self.peek()?;
        self.at += escape.len_utf8();
        Some(match escape {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'x' => self.code_point(2)?,
            'u' => self.code_point(4)?,
            'U' => self.code_point(8)?,
            other => other,
        })
    }

    /// A character by its hexadecimal number; a lone surrogate reads as U+FFFD.
    fn code_point(&mut self, digits: usize) -> Option<char> {
        let number = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}
