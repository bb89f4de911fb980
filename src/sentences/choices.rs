//! What was weighed, in English: the choices, what stands against each, and which rule decided.

use super::{self as sentences, against_removal};
use crate::advice::{
    AgainstChoice as Against, Choice, LookAt, Recommendation, Rule, TryOne, TrySuccess,
};
use crate::text::plural;

/// Characters of a path or URL.
const NAME: usize = 120;

/// The word for a choice; `hold` stands for leaving the job held.
pub(crate) fn name(choice: &Choice) -> &'static str {
    match choice.recommendation {
        Recommendation::Undecided => "hold",
        other => other.name(),
    }
}

/// What the release of one job is to show, and what then.
pub(crate) fn try_one(tried: &TryOne) -> String {
    let shows = match tried.success {
        TrySuccess::Begins => "it begins to execute, its input has arrived",
        TrySuccess::RunsLonger => "it runs for longer than the run that was held",
        TrySuccess::Finishes => "it exits with 0",
    };
    let minutes = tried.unknown_after / 60;
    format!(
        "Release {} alone, drawn from {}. It has got through once {shows}; call again then, and release the others. \
         If it goes on hold again, call again too: the others have lost nothing. If it is still idle after {}, it shows nothing.",
        tried.job,
        plural(tried.drawn_from, "job"),
        plural(minutes, "minute")
    )
}

/// When to ask again after a try, a clause.
pub(crate) fn ask_again(tried: &TryOne) -> String {
    let got_through = match tried.success {
        TrySuccess::Begins => "runs",
        TrySuccess::RunsLonger => "has run for longer than before",
        TrySuccess::Finishes => "has exited with 0",
    };
    format!("when {} {got_through}, or is on hold again", tried.job)
}

/// What to look at, a sentence.
pub(crate) fn look_at(look: &LookAt) -> String {
    match look {
        LookAt::Output { path } => {
            format!(
                "Look at the end of what its program wrote, in {}: what failed stands there.",
                path.named(NAME)
            )
        }
        LookAt::File { path } => format!(
            "Look at {} and the directories on the way there: are they there, and may its owner use them?",
            path.named(NAME)
        ),
        LookAt::Growth { path } => format!(
            "Look how its memory grew in each run, by the events 006 in {}: for as long as it ran, or at once?",
            path.named(NAME)
        ),
        LookAt::Space { path } => {
            format!(
                "Look at the room left where {} goes, and its owner's quota there.",
                path.named(NAME)
            )
        }
        LookAt::Url { url } => format!(
            "Look what the server answers to {} now. It answers the access point; an execution point may get another answer.",
            url.named(NAME)
        ),
        LookAt::Name { url } => format!(
            "Look at the name of the server in {}, and its port: are they right? The URL stands in the job's TransferInput, \
             and behind transfer_input_files in its submit file.",
            url.named(NAME)
        ),
        LookAt::Tried { job } => {
            format!(
                "Look at the hold reason of {job}, which was released and held again for something else."
            )
        }
        LookAt::JobPolicy => {
            "Look at the policies of the job: which of their limits is met?".to_owned()
        }
        LookAt::SystemPolicy => {
            "Look at the access point's SYSTEM_PERIODIC_HOLD: which of its limits is met?"
                .to_owned()
        }
    }
}

/// Which rule decided, a sentence.
pub(crate) fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Over => "The log shows that the hold is over.",
        Rule::HeldByPerson => "A person put it on hold: no probability decides.",
        Rule::Spooling => "HTCondor releases it once its input is spooled, and not before.",
        Rule::ReleasedByPolicy => "A policy releases it within the hour.",
        Rule::Passes => "Its hold reason names what passes by itself.",
        Rule::TooEarly => "It is too early to try one of the jobs that are held for this cause.",
        Rule::RetryLater => "The file-transfer plug-in says that a later transfer may succeed.",
        Rule::NeverReached => {
            "Nobody was ever seen to get through to its server: the name in the URL may be wrong."
        }
        Rule::FilesFirst => "Files that HTCondor needs to run it are not in order.",
        Rule::OwnLimit => "A limit of its own held it, and the same run meets it again.",
        Rule::LeastHours => {
            "The least expected hours among the choices that nothing stands against."
        }
        Rule::LookFirst => {
            "Something stands against everything that can be done; a look may tell more."
        }
        Rule::NoChoice => "Something stands against everything that can be done.",
    }
}

/// What stands against a choice, a clause.
pub(crate) fn against(against: &Against) -> String {
    let percent = |p: f64| format!("{:.0} %", p * 100.0);
    match against {
        Against::UnknownCode => "the model does not know this code".to_owned(),
        Against::Untaught => "the model was hardly trained on it".to_owned(),
        Against::Unlikely { least } => {
            format!("success is less likely than {}, the least for it", percent(*least))
        }
        Against::Likely { most } => {
            format!("some release succeeds with {} or more", percent(*most))
        }
        Against::Lasting { trouble } => {
            let what = sentences::trouble(*trouble);
            format!("the hold reason says that {what}, and nothing shows that this is over")
        }
        Against::OwnLimit => "a limit of its own would hold it again".to_owned(),
        Against::ChangeIsBetter => "a change makes success likelier".to_owned(),
        Against::FailedBefore { releases } => {
            format!("{} failed alike, and nothing got through since", plural(*releases, "release"))
        }
        Against::Unsure { least } => format!("less sure than {}", percent(*least)),
        Against::NoChange => "nothing of the job is known to be changed".to_owned(),
        Against::NotNamed => "it is not known what to change".to_owned(),
        Against::HardlyBetter => "it makes success hardly likelier".to_owned(),
        Against::WaitIsAsGood => "a wait makes success as likely".to_owned(),
        Against::GotThrough => "others have got through since".to_owned(),
        Against::NothingToWaitFor => "nothing is known to wait for".to_owned(),
        Against::LookFirst => "time alone makes it no likelier".to_owned(),
        Against::NothingChanged => "nothing is known to have changed since the hold".to_owned(),
        Against::FewHeld => "fewer than three jobs of the cluster are held for this".to_owned(),
        Against::OpenTry { job } => format!("job {job} was released, and shows it soon"),
        Against::TryWorked { job } => format!("job {job} was released, and got through"),
        Against::TooEarly { .. } => "it is too early for a first or another try".to_owned(),
        Against::TriesFailed { job } => {
            format!("jobs that were released, {job} among them, met a trouble that stays")
        }
        Against::LeaveIsBetter => "leaving it held costs less".to_owned(),
        Against::NothingToLookAt => "nothing is known to look at".to_owned(),
        Against::ReleaseIsEnough => "a release is likely enough to succeed now".to_owned(),
        Against::NotNeeded => "something that can be done is at hand".to_owned(),
        Against::LastResort => "only where nothing else can be done".to_owned(),
        Against::OwnFiles => "its own files show something that is not the others'".to_owned(),
        Against::Over => "the log shows that the hold is over".to_owned(),
        Against::HeldByPerson => "a person put it on hold".to_owned(),
        Against::Spooling => "its input is still being spooled".to_owned(),
        Against::NotInOrder => "what HTCondor needs to run it is not in order".to_owned(),
        Against::HeldAgain => "a policy would hold it again at once".to_owned(),
        Against::NeedsChange => "its reason names what nothing but a change ends".to_owned(),
        Against::Unseen => "nothing at hand could show that its server is back".to_owned(),
        Against::Removal { against } => against_removal(*against).trim_end_matches('.').to_owned(),
    }
}
