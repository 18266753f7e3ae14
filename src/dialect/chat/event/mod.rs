//! Reading one event of a streamed answer, or the body of a whole one: where in its JSON lies what matters.
//!
//! A streamed event and a whole answer differ in one name, `delta` or `message`; both are read here. Some
//! providers send both in each event; clients of streams read `delta`, and so does this module, as long as no
//! call stands in the other one alone. What different agents would take for different calls is not read.

mod member;

use crate::dialect::CallKind;
use crate::wire::span::{Json, Kind, Malformed, Reader, Span};

use member::Once;
pub(super) use member::{Unclear, may_name_calls};

/// An event's parts, as places in its data.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) id: Option<Span>,
    pub(super) created: Option<Span>,
    pub(super) model: Option<Span>,
    pub(super) choices: Vec<Choice>,
    /// An object, not `null`.
    pub(super) usage: Option<Span>,
    /// The event is the provider's error.
    pub(super) error: bool,
}

/// One choice's part of an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    pub(super) index: u32,
    /// The choice's object.
    pub(super) at: Span,
    /// The object called `delta`, in a whole answer `message`.
    pub(super) delta: Span,
    /// The position in the choice of the other one of the two, which says once more what this one says.
    pub(super) echo: Option<usize>,
    /// A stream's event without a `delta`, read by its `message`: its calls are whole, and may have come before.
    pub(super) retold: bool,
    /// The position of each known member in `delta`, counted from 0.
    pub(super) role: Option<usize>,
    pub(super) calls: Option<usize>,
    pub(super) legacy: Option<usize>,
    /// A string, not `null`.
    pub(super) content: Option<Span>,
    /// The array that holds the fragments.
    pub(super) calls_at: Option<Span>,
    pub(super) fragments: Vec<Fragment>,
    /// The value of `finish_reason`, whatever it is.
    pub(super) finish_at: Option<Span>,
    pub(super) finish: Option<Finish>,
    /// Members of `delta` that this module does not know and that are not `null`.
    pub(super) others: Vec<(Span, Span)>,
    /// The role is a string with something in it.
    pub(super) names_role: bool,
}

/// A piece of one call.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    pub(super) at: Span,
    pub(super) kind: CallKind,
    /// The provider's number of the call, and where it stands.
    pub(super) index: Option<(u32, Span)>,
    /// Something is there in the place of a number.
    pub(super) misnumbered: bool,
    /// Strings with something in them.
    pub(super) id: Option<Span>,
    pub(super) name: Option<Span>,
    /// An `id` or `name` is there and says nothing.
    pub(super) blank: bool,
    /// Argument text: a string, or in some providers the object itself.
    pub(super) input: Option<Span>,
    /// Members that this module does not know and that are not `null`.
    pub(super) others: Vec<(Span, Span)>,
}

/// Why the model stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finish {
    Stop,
    Length,
    ToolCalls,
    /// A call in the API's first form.
    FunctionCall,
    /// A content filter or a refusal: nothing is asked again.
    Filtered,
    Other,
}

/// `whole`: the data is the body of a whole answer.
pub(super) fn read(data: &str, whole: bool) -> Result<Event, Unclear> {
    let mut reader = Reader::new(data);
    let mut event = Event::default();
    if reader.kind()? != Kind::Object {
        reader.skip()?;
        return Ok(event);
    }
    let mut once = Once::new(&["choices"]);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*once.name(&key)? {
            "id" => event.id = Some(reader.skip()?),
            "created" => event.created = Some(reader.skip()?),
            "model" => event.model = Some(reader.skip()?),
            "choices" => event.choices = choices(&mut reader, data, whole)?,
            "usage" => {
                event.usage =
                    Some(reader.skip()?).filter(|span| Json::trusted(span.of(data)).kind() == Kind::Object);
            }
            "error" => event.error = !reader.value()?.is_null(),
            _ => {
                reader.skip()?;
            }
        }
    }
    reader.end()?;
    Ok(event)
}

fn choices(reader: &mut Reader<'_>, data: &str, whole: bool) -> Result<Vec<Choice>, Unclear> {
    let mut choices = Vec::new();
    match reader.kind()? {
        Kind::Array => {}
        // To some languages a list.
        Kind::Object => return Err(Unclear::Ambiguous),
        _ => {
            reader.skip()?;
            return Ok(choices);
        }
    }
    let mut array = reader.array()?;
    while reader.next_element(&mut array)? {
        if reader.kind()? == Kind::Object {
            choices.push(choice(reader, data, whole)?);
        } else {
            reader.skip()?;
        }
    }
    Ok(choices)
}

fn choice(reader: &mut Reader<'_>, data: &str, whole: bool) -> Result<Choice, Unclear> {
    let start = reader.offset();
    let mut choice = Choice::default();
    let mut other = None;
    let (own, others) = if whole { ("message", "delta") } else { ("delta", "message") };
    let mut once = Once::new(&["delta", "message"]);
    let mut object = reader.object()?;
    let mut position = 0;
    while let Some(key) = reader.next_key(&mut object)? {
        let kind = reader.kind()?;
        match &*once.name(&key)? {
            "index" => choice.index = number(reader.value()?).unwrap_or(0),
            name if name == own && kind == Kind::Object => delta(reader, &mut choice)?,
            name if name == others && kind == Kind::Object => other = Some((position, reader.skip()?)),
            // Nothing that an agent reads, unless by a reading unknown here.
            "delta" | "message" if kind == Kind::Array => return Err(Unclear::Ambiguous),
            "finish_reason" => {
                let at = reader.offset();
                choice.finish = finish(reader.value()?);
                choice.finish_at = Some(Span::new(at, reader.offset()));
            }
            _ => {
                reader.skip()?;
            }
        }
        position += 1;
    }
    choice.at = Span::new(start, reader.offset());
    if let Some((position, at)) = other {
        choice.add(position, at, data, whole)?;
    }
    Ok(choice)
}

fn delta(reader: &mut Reader<'_>, choice: &mut Choice) -> Result<(), Unclear> {
    let start = reader.offset();
    let mut once = Once::new(&["tool_calls", "function_call"]);
    let mut object = reader.object()?;
    let mut position = 0;
    while let Some(key) = reader.next_key(&mut object)? {
        let kind = reader.kind()?;
        match &*once.name(&key)? {
            "role" => {
                choice.role = Some(position);
                choice.names_role = kind == Kind::String && reader.skip()?.len() > 2;
                if kind != Kind::String {
                    reader.skip()?;
                }
            }
            "content" if kind == Kind::String => choice.content = Some(reader.skip()?),
            "tool_calls" => {
                choice.calls = Some(position);
                match kind {
                    Kind::Array => fragments(reader, choice)?,
                    Kind::Object => return Err(Unclear::Ambiguous),
                    _ => {
                        reader.skip()?;
                    }
                }
            }
            "function_call" => {
                choice.legacy = Some(position);
                match kind {
                    Kind::Object => choice.fragments.push(legacy(reader)?),
                    Kind::Array => return Err(Unclear::Ambiguous),
                    _ => {
                        reader.skip()?;
                    }
                }
            }
            _ => other(reader, key.span, kind, &mut choice.others)?,
        }
        position += 1;
    }
    choice.delta = Span::new(start, reader.offset());
    Ok(())
}

fn other(
    reader: &mut Reader<'_>,
    key: Span,
    kind: Kind,
    others: &mut Vec<(Span, Span)>,
) -> Result<(), Malformed> {
    let value = reader.skip()?;
    if kind != Kind::Null {
        others.push((key, value));
    }
    Ok(())
}

fn fragments(reader: &mut Reader<'_>, choice: &mut Choice) -> Result<(), Unclear> {
    let start = reader.offset();
    let mut array = reader.array()?;
    while reader.next_element(&mut array)? {
        if reader.kind()? == Kind::Object {
            choice.fragments.push(fragment(reader)?);
        } else {
            let at = reader.skip()?;
            choice.fragments.push(Fragment::empty(at));
        }
    }
    choice.calls_at = Some(Span::new(start, reader.offset()));
    Ok(())
}

fn fragment(reader: &mut Reader<'_>) -> Result<Fragment, Unclear> {
    let start = reader.offset();
    let mut fragment = Fragment::empty(Span::default());
    let (mut function, mut custom, mut flat) = (None, None, Inner::default());
    let mut says_custom = false;
    let mut once = Once::new(&["index", "id", "type", "function", "custom", "name", "arguments", "input"]);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        let kind = reader.kind()?;
        match &*once.name(&key)? {
            "index" => {
                let at = reader.offset();
                let value = number(reader.value()?);
                fragment.index = value.map(|index| (index, Span::new(at, reader.offset())));
                fragment.misnumbered = value.is_none();
            }
            "id" => fragment.id = text(reader, &mut fragment.blank)?,
            "function" if kind == Kind::Object => function = Some(inner(reader, &mut fragment.blank)?),
            "custom" if kind == Kind::Object => custom = Some(inner(reader, &mut fragment.blank)?),
            "type" => says_custom = reader.value()?.string().as_deref() == Some("custom"),
            "name" => flat.name = text(reader, &mut fragment.blank)?,
            "arguments" => flat.arguments = value(reader)?,
            "input" => flat.input = value(reader)?,
            _ => other(reader, key.span, kind, &mut fragment.others)?,
        }
    }
    // What it holds tells the kind: arguments are judged, whatever the call says of itself.
    let is_custom = custom.is_some() || says_custom && function.is_none() && flat.arguments.is_none();
    // Of two places to read a call from, an agent may take either.
    let told = match (function, custom) {
        (None, None) => flat,
        (Some(one), None) | (None, Some(one)) if flat.is_empty() => one,
        _ => return Err(Unclear::Ambiguous),
    };
    if is_custom {
        fragment.kind = CallKind::Custom;
    }
    (fragment.name, fragment.input) = (told.name, told.one_input()?);
    fragment.at = Span::new(start, reader.offset());
    Ok(fragment)
}

fn legacy(reader: &mut Reader<'_>) -> Result<Fragment, Unclear> {
    let start = reader.offset();
    let mut fragment = Fragment { kind: CallKind::Legacy, ..Fragment::empty(Span::default()) };
    let told = inner(reader, &mut fragment.blank)?;
    (fragment.name, fragment.input) = (told.name, told.one_input()?);
    fragment.at = Span::new(start, reader.offset());
    Ok(fragment)
}

/// What a piece says of the call itself.
#[derive(Clone, Copy, Debug, Default)]
struct Inner {
    name: Option<Span>,
    arguments: Option<Span>,
    input: Option<Span>,
}

fn inner(reader: &mut Reader<'_>, blank: &mut bool) -> Result<Inner, Unclear> {
    let mut inner = Inner::default();
    let mut once = Once::new(&["name", "arguments", "input"]);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*once.name(&key)? {
            "name" => inner.name = text(reader, blank)?,
            "arguments" => inner.arguments = value(reader)?,
            "input" => inner.input = value(reader)?,
            _ => {
                reader.skip()?;
            }
        }
    }
    Ok(inner)
}

/// Any value but `null`.
fn value(reader: &mut Reader<'_>) -> Result<Option<Span>, Malformed> {
    let kind = reader.kind()?;
    let span = reader.skip()?;
    Ok((kind != Kind::Null).then_some(span))
}

/// A string that says something; `blank` is set where one is there and does not.
fn text(reader: &mut Reader<'_>, blank: &mut bool) -> Result<Option<Span>, Malformed> {
    let kind = reader.kind()?;
    let span = reader.skip()?;
    if kind == Kind::String && span.len() == 2 {
        *blank = true;
    }
    Ok((kind == Kind::String && span.len() > 2).then_some(span))
}

fn number(value: Json<'_>) -> Option<u32> {
    value.integer().and_then(|number| u32::try_from(number).ok())
}

fn finish(value: Json<'_>) -> Option<Finish> {
    Some(match &*value.string()? {
        "" => return None,
        "stop" => Finish::Stop,
        "length" | "model_length" | "max_tokens" => Finish::Length,
        "tool_calls" => Finish::ToolCalls,
        "function_call" => Finish::FunctionCall,
        "content_filter" | "refusal" => Finish::Filtered,
        _ => Finish::Other,
    })
}

// === impl Inner ===

impl Inner {
    fn is_empty(self) -> bool {
        self.name.is_none() && self.arguments.is_none() && self.input.is_none()
    }

    fn one_input(self) -> Result<Option<Span>, Unclear> {
        match (self.arguments, self.input) {
            (Some(_), Some(_)) => Err(Unclear::Ambiguous),
            (arguments, input) => Ok(arguments.or(input)),
        }
    }
}

// === impl Choice ===

impl Choice {
    /// Reads the other one of `delta` and `message`: where it stands alone, in the place of the one looked for.
    /// Its calls must be the same.
    fn add(&mut self, position: usize, at: Span, data: &str, whole: bool) -> Result<(), Unclear> {
        let mut reader = Reader::starting_at(data, at.start);
        if self.delta.is_empty() {
            self.retold = !whole;
            return delta(&mut reader, self);
        }
        let mut other = Self::default();
        delta(&mut reader, &mut other)?;
        let calls = |choice: &Self| -> Vec<&str> {
            let told = choice.fragments.iter().filter(|fragment| !fragment.is_void());
            told.map(|fragment| fragment.at.of(data)).collect()
        };
        let told = calls(&other);
        if !told.is_empty() && told != calls(self) {
            return Err(Unclear::Ambiguous);
        }
        self.echo = Some(position);
        Ok(())
    }

    /// Whether an assistant's message begins with this, if with nothing before.
    pub(super) fn begins(&self) -> bool {
        self.names_role || self.has_text() || !self.others.is_empty() || !self.fragments.is_empty()
    }

    /// Whether the choice's text says something.
    pub(super) fn has_text(&self) -> bool {
        self.content.is_some_and(|content| content.len() > 2)
    }
}

// === impl Fragment ===

impl Fragment {
    /// Says nothing at all.
    pub(super) fn is_void(&self) -> bool {
        self.index.is_none()
            && self.id.is_none()
            && self.name.is_none()
            && self.input.is_none()
            && self.others.is_empty()
    }

    fn empty(at: Span) -> Self {
        Self {
            at,
            kind: CallKind::Function,
            index: None,
            misnumbered: false,
            id: None,
            name: None,
            blank: false,
            input: None,
            others: Vec::new(),
        }
    }
}
