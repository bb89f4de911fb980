//! What is at fault, and what ends it.

use super::NAME;
use crate::catalogue::{Ends, Fault};
use crate::diagnosis::{AtFault, By, Diagnosis, State};
use crate::text::Foreign;

/// Below this probability a thing is not named.
const LEAST: f64 = 0.05;

/// A diagnosis in words. `None` where nothing tells.
pub fn diagnosis(of: &Diagnosis) -> Option<String> {
    let by = match of.by? {
        By::Reason => "its hold reason",
        By::Program => "what its program wrote",
        By::Runs => "where runs of its cluster failed and got through",
    };
    let likely = of.at_fault.iter().filter(|one| one.probability >= LEAST);
    let named: Vec<String> = likely
        .map(|AtFault { fault, probability }| {
            let is_place = matches!(fault, Fault::Machine | Fault::Site);
            let place = of.place.as_ref().filter(|_| is_place);
            let name = place.map_or_else(String::new, |place| {
                format!(" {}", Foreign::from(place.as_str()).named(NAME))
            });
            format!("{}{name} ({:.0} %)", thing(*fault), 100.0 * probability)
        })
        .collect();
    let ends = match of.ends {
        Some(Ends::Change) => " A change ends it.",
        Some(Ends::Person) => " Somebody else ends it.",
        Some(Ends::Time) => " It passes with time.",
        Some(Ends::NextStart) => " The next start ends it.",
        Some(Ends::Elsewhere) => " A start elsewhere ends it.",
        None => "",
    };
    let state = match of.state {
        State::Unknown => "",
        State::Over => " It seems to be over.",
        State::Lasts => " It lasts.",
    };
    Some(format!("{}, by {by}.{ends}{state}", named.join(", ")))
}

/// What may be at fault.
const fn thing(fault: Fault) -> &'static str {
    match fault {
        Fault::Input => "an input file",
        Fault::Submit => "the submit file",
        Fault::Program => "the program",
        Fault::Credential => "a credential",
        Fault::Quota => "a quota",
        Fault::File => "a file",
        Fault::Permission => "a permission",
        Fault::Url => "a URL",
        Fault::Server => "a server",
        Fault::Machine => "the machine",
        Fault::Site => "the site",
        Fault::AccessPoint => "the access point",
        Fault::Policy => "a policy of the pool",
        Fault::Person => "a person",
        Fault::Chance => "luck of the run",
    }
}
