//! Which texts there are. A new one is a line here and one in each language; its default stands in
//! `config.example.toml` as well.

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Stands alone, and is ours: found in a history it is no tool's word.
    Whole,
    /// Stands alone, but is nothing but the tool's own word: real tools write the same.
    Quote,
    /// Stands in another.
    Part,
}

/// Makes [`Notice`] of a table: what it is for, the name, the configuration key, and what stands in braces.
macro_rules! catalogue {
    ($($(#[$doc:meta])* $use:ident $name:ident = $code:literal [$($placeholder:ident),*];)*) => {
        /// Which text.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Notice {
            $($(#[$doc])* $name,)*
        }

        impl Notice {
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$name),*];

            /// The configuration key.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// What its template may hold between braces.
            pub fn placeholders(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$(stringify!($placeholder)),*],)*
                }
            }

            pub fn used(self) -> Use {
                match self {
                    $(Self::$name => Use::$use,)*
                }
            }
        }
    };
}

catalogue! {
    // In the place of a result: the call was not made.
    Whole Truncated = "truncated" [tool];
    Whole Unreadable = "unreadable" [tool, problems];
    Whole UnknownTool = "unknown_tool" [tool, names];
    Whole NoTools = "no_tools" [tool];
    Whole Invalid = "invalid" [tool, problems];
    Whole Denied = "denied" [tool, reason];
    Whole Repeated = "repeated" [tool, error];
    Whole Terminal = "terminal" [tool, error];
    Whole TooLarge = "too_large" [tool];
    Whole ProviderRefused = "provider_refused" [tool, error];
    // In a history that was mended.
    /// The result of a call that has none.
    Whole Interrupted = "interrupted" [tool];
    /// Before what came as the result of no call.
    Whole Orphan = "orphan" [];
    /// The result of a tool that said nothing.
    Whole EmptyResult = "empty_result" [];
    /// In the place of an image in a result.
    Whole ImageBelow = "image_below" [];
    /// Before an image that came in a result.
    Whole ImageFrom = "image_from" [tool];
    /// Where a result stood that was moved to its call.
    Whole ResultAbove = "result_above" [tool];
    // A tool's own error, in our words around it, by what a rule calls it.
    Whole ResultCorrectable = "result_correctable" [tool, error];
    Quote ResultFailed = "result_failed" [tool, error];
    Whole ResultTerminal = "result_terminal" [tool, error];
    /// Stands in the place of what was left out of a result.
    Part ResultCut = "result_cut" [bytes];
    /// Said to the user in the model's place when it would not come to an end.
    Whole FellBack = "fell_back" [refusals];

    /// An earlier failure that nothing was said of.
    Part ErrorUnsaid = "error_unsaid" [];
    // Why arguments cannot be read.
    Part UnreadableForm = "unreadable_form" [];
    Part UnreadableBackslash = "unreadable_backslash" [at];
    Part UnreadableSyntax = "unreadable_syntax" [expected, at];
    Part UnreadableSeveral = "unreadable_several" [];
    /// A wrapper of several calls that lists none.
    Part UnreadableList = "unreadable_list" [];
    // What a JSON text should have gone on with.
    Part ExpectedValue = "expected_value" [];
    Part ExpectedObject = "expected_object" [];
    Part ExpectedName = "expected_name" [];
    Part ExpectedDigit = "expected_digit" [];
    Part ExpectedEscape = "expected_escape" [];
    Part ExpectedStringEnd = "expected_string_end" [];
    Part ExpectedCommentEnd = "expected_comment_end" [];
    Part ExpectedTextEnd = "expected_text_end" [];

    // What a schema does not accept.
    /// A problem that does not name its place itself.
    Part ProblemAt = "problem_at" [place, problem];
    /// The place of all arguments.
    Part ProblemArguments = "problem_arguments" [];
    /// The place of a member's name.
    Part ProblemName = "problem_name" [];
    /// What was got where nothing is.
    Part ProblemNothing = "problem_nothing" [];
    Part ProblemRequired = "problem_required" [names, received];
    Part ProblemUnknown = "problem_unknown" [names];
    Part ProblemUnknownSeveral = "problem_unknown_several" [names];
    Part ProblemKnown = "problem_known" [problem, names];
    Part ProblemType = "problem_type" [place, kinds, got];
    Part ProblemForm = "problem_form" [place, got];
    Part ProblemPattern = "problem_pattern" [place, pattern, got];
    Part ProblemEnum = "problem_enum" [place, options, got];
    Part ProblemConst = "problem_const" [place, value, got];
    Part ProblemMaxLength = "problem_max_length" [place, limit, got];
    Part ProblemMinLength = "problem_min_length" [place, limit, got];
    Part ProblemMaxItems = "problem_max_items" [place, limit, got];
    Part ProblemMinItems = "problem_min_items" [place, limit, got];
    Part ProblemMaxProperties = "problem_max_properties" [place, limit, got];
    Part ProblemMinProperties = "problem_min_properties" [place, limit, got];
    Part ProblemMaximum = "problem_maximum" [place, limit, got];
    Part ProblemMinimum = "problem_minimum" [place, limit, got];
    Part ProblemExclusiveMaximum = "problem_exclusive_maximum" [place, limit, got];
    Part ProblemExclusiveMinimum = "problem_exclusive_minimum" [place, limit, got];
    Part ProblemMultipleOf = "problem_multiple_of" [place, factor, got];
    Part ProblemUniqueItems = "problem_unique_items" [place, got];
    Part ProblemFalseSchema = "problem_false_schema" [place, got];
    Part ProblemOneOf = "problem_one_of" [place, got];
    Part ProblemPropertyNames = "problem_property_names" [place, problem];
    /// Any other keyword of a schema.
    Part ProblemKeyword = "problem_keyword" [place, keyword, got];

    // How several things are told one after another.
    Part ListNext = "list_next" [list, item];
    Part ListOr = "list_or" [list, item];
    Part ListMore = "list_more" [list, count];
    Part ProblemsNext = "problems_next" [list, item];
    Part ProblemsMore = "problems_more" [list, count];
}
