//! What the demo shows, and how it must go.

/// One conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) title: &'static str,
    /// What to look at.
    pub(super) what: &'static str,
    /// A turn before: it was cancelled while its call ran.
    pub(super) cancelled: Option<Cancelled>,
    pub(super) user: &'static str,
    /// What the model reads at the head of the history and the agent did not write; empty: not worth showing.
    pub(super) told: &'static str,
    /// The model's calls, in order.
    pub(super) expected: &'static [Expected],
    /// Requests that reach the provider.
    pub(super) requests: usize,
}

/// A turn that was cancelled: the history holds its call, and no result of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cancelled {
    pub(super) user: &'static str,
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
}

/// What must become of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) id: &'static str,
    pub(super) fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Forwarded,
    /// The agent's tool failed, and the model reads all of these.
    Failed(&'static [&'static str]),
    /// The agent's arguments hold this.
    Rewritten(&'static str),
    /// The model reads all of these.
    Refused(&'static [&'static str]),
    /// Its result is lost, and the model reads all of these.
    Lost(&'static [&'static str]),
}

pub(super) const SCENES: [Scene; 7] = [
    Scene {
        title: "A slug in capitals",
        what: "The model forgets that slugs are lower-case. A rule puts them so, and the call runs.",
        cancelled: None,
        user: "Open a worktree for PJ1: project git extend.",
        told: "",
        expected: &[Expected { id: "call_capitals", fate: Fate::Rewritten(r#""pj1-project-git-extend""#) }],
        requests: 2,
    },
    Scene {
        title: "A hopeless slug",
        what: "No rule mends this one. The model is told why, and corrects it: for the agent one answer.",
        cancelled: None,
        user: "Open a branch for ticket a--b.",
        told: "",
        expected: &[
            Expected {
                id: "call_hopeless",
                fate: Fate::Refused(&["/branch_slug", "Please fix your mistakes."]),
            },
            Expected { id: "call_mended", fate: Fate::Forwarded },
        ],
        requests: 3,
    },
    Scene {
        title: "A call that cannot work",
        what: "What the cloud rejected it will reject again. The repeat is refused; another path is taken.",
        cancelled: None,
        user: "Why does the vector database not start?",
        told: "",
        expected: &[
            Expected { id: "call_stack", fate: Fate::Forwarded },
            Expected {
                id: "call_again",
                fate: Fate::Refused(&["http_400:ResourceTypeNotFound", "will fail the same way"]),
            },
            Expected { id: "call_types", fate: Fate::Forwarded },
        ],
        requests: 4,
    },
    Scene {
        title: "One bad of three",
        what: "Two run at once. The third is answered by the proxy, in its place, with the next request.",
        cancelled: None,
        user: "Open worktrees for the three services.",
        told: "",
        expected: &[
            Expected { id: "call_api", fate: Fate::Forwarded },
            Expected { id: "call_web", fate: Fate::Refused(&["/branch_slug", "Please fix your mistakes."]) },
            Expected { id: "call_docs", fate: Fate::Forwarded },
            Expected { id: "call_web_ui", fate: Fate::Forwarded },
        ],
        requests: 3,
    },
    Scene {
        title: "Told beforehand",
        what: "A rule adds a line to the prompt of requests with these tools. The agent need not know it.",
        cancelled: None,
        user: "Is there a message queue on this cloud?",
        told: "Ask for the list of resource types before you ask for a resource.",
        expected: &[Expected { id: "call_list", fate: Fate::Forwarded }],
        requests: 2,
    },
    Scene {
        title: "An error that helps",
        what: "The tool takes the call and fails. A rule says that this is for the model to mend, and so it reads.",
        cancelled: None,
        user: "Open a branch to fix the login page.",
        told: "",
        expected: &[
            Expected {
                id: "call_taken",
                fate: Fate::Failed(&[
                    "Error: HTTP 422: the branch login exists",
                    "Please fix your mistakes.",
                ]),
            },
            Expected { id: "call_free", fate: Fate::Forwarded },
        ],
        requests: 3,
    },
    Scene {
        title: "A lost result",
        what: "A turn was cancelled, and a call has no result. Providers refuse such a history, and every later \
               request with it. It is mended: the session goes on.",
        cancelled: Some(Cancelled {
            user: "Create the stack of the web servers.",
            id: "call_cancelled",
            name: "aliyun_api",
            arguments: r#"{"action":"CreateStack","type":"ALIYUN::ECS::Instance"}"#,
        }),
        user: "I pressed stop. Is it there now?",
        told: "",
        expected: &[
            Expected {
                id: "call_cancelled",
                fate: Fate::Lost(&["its outcome is unknown", "Check what it did before you repeat it."]),
            },
            Expected { id: "call_look", fate: Fate::Forwarded },
        ],
        requests: 2,
    },
];
