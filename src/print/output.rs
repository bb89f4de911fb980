//! In which form advices are printed, and to which columns.

use super::columns::of_job_ad;
use crate::inquiry::Inputs;

/// How advices are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PrintForm {
    /// A card for each incident; a table of them first where these are many.
    #[default]
    Cards,
    /// `-incidents`: the whole table.
    Incidents {
        /// As a JSON array.
        as_json: bool,
    },
    /// A line for each job.
    Table,
    /// How many jobs there are for each advice, and what else.
    Totals(TotalsBy),
    /// ClassAds.
    Long,
    /// A JSON array.
    Json,
    /// A JSON object a line.
    JsonLines,
    /// `-af`: the letters behind the colon and the attributes.
    AutoFormat(String, Vec<String>),
    /// `-format`: pairs of printf format and attribute.
    Format(Vec<(String, String)>),
}

/// What `-totals` counts by, besides the advice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TotalsBy {
    /// HoldReasonCode and HoldReasonSubCode.
    #[default]
    Code,
    /// Owner.
    Owner,
    /// What the hold is about.
    Cause,
    /// Nothing.
    Advice,
}

impl PrintForm {
    /// What people read, not programs.
    pub const fn is_for_people(&self) -> bool {
        matches!(
            self,
            Self::Cards | Self::Incidents { as_json: false } | Self::Table | Self::Totals(_)
        )
    }

    /// The attributes and expressions that are named.
    pub fn expressions(&self) -> Vec<&str> {
        match self {
            Self::AutoFormat(_, names) => names.iter().map(String::as_str).collect(),
            Self::Format(pairs) => pairs.iter().map(|(_, name)| name.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Of how many judged jobs is printed which inputs moved a probability.
    pub fn inputs(&self) -> Inputs {
        let named = |text: &&str| {
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .any(|name| name.eq_ignore_ascii_case("Inputs"))
        };
        match self {
            Self::Cards => Inputs::OfOne,
            Self::Incidents { .. } | Self::Table | Self::Totals(_) => Inputs::None,
            Self::Long | Self::Json | Self::JsonLines => Inputs::OfAll,
            _ if self.expressions().iter().any(named) => Inputs::OfAll,
            Self::AutoFormat(..) | Self::Format(_) => Inputs::None,
        }
    }

    /// Attributes of job ads that are printed.
    pub fn attributes(&self) -> Vec<String> {
        self.expressions().into_iter().flat_map(of_job_ad).collect()
    }
}

/// How advices are printed for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Columns to fit lines of text to; none: no limit.
    pub columns: Option<usize>,
    /// Columns to fit lines of tables to; none: no limit.
    pub table: Option<usize>,
    /// Advice is printed in colour.
    pub colour: bool,
    /// Nothing but ASCII is printed, but for text of others.
    pub ascii: bool,
    /// `-why`: all that an advice rests on is printed.
    pub why: bool,
}

/// Columns without a terminal.
const COLUMNS: usize = 80;

/// Columns that text is fitted to at a terminal: longer lines are hard to read.
const TEXT: usize = 100;

/// Columns that lines are fitted to at least, however narrow the terminal.
const NARROWEST: usize = 40;

impl Style {
    /// Lines are fitted to the terminal that standard output is, text to 100 columns at most;
    /// without a terminal to 80.
    pub fn of_terminal() -> Self {
        let columns = terminal().map_or(COLUMNS, |columns| columns.max(NARROWEST));
        Self { columns: Some(columns.min(TEXT)), table: Some(columns), ..Self::default() }
    }
}

/// Columns of the terminal that standard output is, if it is one.
fn terminal() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}
