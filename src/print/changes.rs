//! `-watch`: what changed, a card for each incident.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Page;
use super::incidents::Incidents;
use crate::advice::Advice;
use crate::advice::news::News;
use crate::sentences;
use crate::sentences::times::second;
use crate::text::plural;

/// Cards of one kind of news at a look: about two screens.
const CARDS: usize = 12;

/// What changed since the last look.
#[derive(Debug, Default)]
pub(crate) struct Changes(BTreeMap<News, Incidents>);

impl Changes {
    pub(crate) fn add(&mut self, advice: &Advice, news: News) {
        self.0.entry(news).or_default().add(advice);
    }

    /// Prints cards, each behind an empty line, with the time and what changed before the jobs.
    pub(crate) fn print(self, out: &mut dyn Write, page: &Page) -> io::Result<()> {
        for (news, incidents) in self.0 {
            let begins = format!("{} {}", second(page.now, &page.zone), sentences::news(news));
            for (mut card, ..) in incidents.cards(CARDS, page) {
                card.header = format!("{begins}: {}", card.header);
                write!(out, "\n{}", card.text(&page.style))?;
            }
            let left_out = incidents.len().saturating_sub(CARDS);
            if left_out > 0 {
                writeln!(out, "\n{begins}: {}", plural(left_out, "more incident"))?;
            }
        }
        Ok(())
    }
}
