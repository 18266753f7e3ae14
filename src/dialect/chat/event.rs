//! Reading one event of a streamed answer, or the body of a whole one: where in its JSON lies what matters.
//!
//! A streamed event and a whole answer differ in one name, `delta` or `message`; both are read here. Some
//! providers send both in each event; clients of streams read `delta`, and so does this module.

use crate::dialect::CallKind;
use crate::wire::span::{Expected, Json, Kind, Malformed, Reader, Span};

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
    /// In a stream, the position in the choice of a member that says what `delta` says once more.
    pub(super) echo: Option<usize>,
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
pub(super) fn read(data: &str, whole: bool) -> Result<Event, Malformed> {
    let mut reader = Reader::new(data);
    let mut event = Event::default();
    if reader.kind()? != Kind::Object {
        reader.skip()?;
        return Ok(event);
    }
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "id" => event.id = Some(reader.skip()?),
            "created" => event.created = Some(reader.skip()?),
            "model" => event.model = Some(reader.skip()?),
            "choices" => event.choices = choices(&mut reader, whole)?,
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

fn choices(reader: &mut Reader<'_>, whole: bool) -> Result<Vec<Choice>, Malformed> {
    let mut choices = Vec::new();
    if reader.kind()? != Kind::Array {
        reader.skip()?;
        return Ok(choices);
    }
    let mut array = reader.array()?;
    while reader.next_element(&mut array)? {
        if reader.kind()? == Kind::Object {
            choices.push(choice(reader, whole)?);
        } else {
            reader.skip()?;
        }
    }
    Ok(choices)
}

fn choice(reader: &mut Reader<'_>, whole: bool) -> Result<Choice, Malformed> {
    let start = reader.offset();
    let mut choice = Choice::default();
    let mut object = reader.object()?;
    let mut position = 0;
    while let Some(key) = reader.next_key(&mut object)? {
        let is_object = reader.kind()? == Kind::Object;
        match &*key.name() {
            "index" => choice.index = number(reader.value()?).unwrap_or(0),
            "delta" if !whole && is_object => delta(reader, &mut choice)?,
            "message" if whole && is_object => delta(reader, &mut choice)?,
            "message" if is_object => {
                choice.echo = Some(position);
                reader.skip()?;
            }
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
    Ok(choice)
}

fn delta(reader: &mut Reader<'_>, choice: &mut Choice) -> Result<(), Malformed> {
    let start = reader.offset();
    // Of a member given twice the last counts, as for every client.
    let Choice { index, echo, finish_at, finish, .. } = *choice;
    *choice = Choice { index, echo, finish_at, finish, ..Choice::default() };
    let mut object = reader.object()?;
    let mut position = 0;
    while let Some(key) = reader.next_key(&mut object)? {
        let kind = reader.kind()?;
        match &*key.name() {
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
                choice.fragments.retain(|fragment| fragment.kind == CallKind::Legacy);
                match kind {
                    Kind::Array => fragments(reader, choice)?,
                    // Calls in a form that nobody here can judge.
                    Kind::Object => {
                        return Err(Malformed {
                            at: reader.offset(),
                            expected: Expected::Array,
                            truncated: false,
                        });
                    }
                    _ => {
                        reader.skip()?;
                    }
                }
            }
            "function_call" => {
                choice.legacy = Some(position);
                choice.fragments.retain(|fragment| fragment.kind != CallKind::Legacy);
                if kind == Kind::Object {
                    choice.fragments.push(legacy(reader)?);
                } else {
                    reader.skip()?;
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

fn fragments(reader: &mut Reader<'_>, choice: &mut Choice) -> Result<(), Malformed> {
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

fn fragment(reader: &mut Reader<'_>) -> Result<Fragment, Malformed> {
    let start = reader.offset();
    let mut fragment = Fragment::empty(Span::default());
    let (mut is_function, mut is_custom, mut says_custom) = (false, false, false);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        let kind = reader.kind()?;
        match &*key.name() {
            "index" => {
                let at = reader.offset();
                let value = number(reader.value()?);
                fragment.index = value.map(|index| (index, Span::new(at, reader.offset())));
                fragment.misnumbered = value.is_none();
            }
            "id" => fragment.id = text(reader, &mut fragment.blank)?,
            "function" if kind == Kind::Object => {
                is_function = true;
                function(reader, &mut fragment)?;
            }
            "custom" if kind == Kind::Object => {
                is_custom = true;
                function(reader, &mut fragment)?;
            }
            "type" => says_custom = reader.value()?.string().as_deref() == Some("custom"),
            _ => other(reader, key.span, kind, &mut fragment.others)?,
        }
    }
    if is_function && is_custom {
        // Which of the two an agent runs, nobody here can say.
        return Err(Malformed { at: start, expected: Expected::Object, truncated: false });
    }
    // What it holds tells the kind: arguments are judged, whatever the call says of itself.
    if is_custom || says_custom && !is_function {
        fragment.kind = CallKind::Custom;
    }
    fragment.at = Span::new(start, reader.offset());
    Ok(fragment)
}

fn legacy(reader: &mut Reader<'_>) -> Result<Fragment, Malformed> {
    let start = reader.offset();
    let mut fragment = Fragment { kind: CallKind::Legacy, ..Fragment::empty(Span::default()) };
    function(reader, &mut fragment)?;
    fragment.at = Span::new(start, reader.offset());
    Ok(fragment)
}

fn function(reader: &mut Reader<'_>, fragment: &mut Fragment) -> Result<(), Malformed> {
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "name" => fragment.name = text(reader, &mut fragment.blank)?,
            "arguments" | "input" => {
                let kind = reader.kind()?;
                let span = reader.skip()?;
                fragment.input = (kind != Kind::Null).then_some(span);
            }
            _ => {
                reader.skip()?;
            }
        }
    }
    Ok(())
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

// === impl Choice ===

impl Choice {
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
