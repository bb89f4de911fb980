//! The ad of a held job as the queue has it: that of its last run, with what the schedd has of the
//! hold.

use classads::ClassAd;
use eventlog::JobId;
use holdadvise::advice::{Held, Policies};
use holdadvise::checks::LocalFiles;
use holdadvise::history::reason;
use holdadvise::hold_code::{About, about};
use holdadvise::text::classad_quote;

/// What the schedd has of a hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InQueue<'a> {
    /// Unix seconds.
    pub(crate) held_at: i64,
    pub(crate) num_holds: i64,
    pub(crate) reason: &'a str,
    pub(crate) code: i32,
    pub(crate) subcode: i32,
}

/// Attributes that are the schedd's own.
const OWN: [&str; 5] =
    ["HoldReason", "JobStatus", "EnteredCurrentStatus", "NumHolds", "EpochWriteDate"];

/// Before the names of the files that a job asks for.
const INPUTS: &str = "TransferInput = \"";

/// From the lines of an epoch ad, its banner too. Simulated ads name the right URL even of jobs that
/// ask for a wrong one, and nobody corrects a job that stays held: the URL of the hold reason is
/// among those that are asked for.
pub(crate) fn queue_ad(epoch_ad: &str, hold: &InQueue<'_>) -> Option<ClassAd> {
    let InQueue { held_at, num_holds, reason, code, subcode } = *hold;
    let is_own = |line: &str| OWN.iter().any(|name| line.starts_with(name));
    let url = reason::url(reason).filter(|_| about(code) == Some(About::Input));
    let mut text = String::new();
    for line in epoch_ad.lines().filter(|line| !is_own(line) && !line.starts_with("***")) {
        text.push_str(line);
        let inputs = line.strip_prefix(INPUTS).and_then(|inputs| inputs.strip_suffix('"'));
        if let Some((inputs, url)) = inputs.zip(url.as_deref())
            && inputs.split(',').all(|input| input.trim() != url)
        {
            text.pop();
            text.push_str(&format!(",{url}\""));
        }
        text.push('\n');
    }
    let reason = classad_quote(reason).unwrap_or_default();
    text.push_str(&format!(
        "JobStatus = 5\nEnteredCurrentStatus = {held_at}\nNumHolds = {num_holds}\n\
         HoldReason = {reason}\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n"
    ));
    classads::read_ads(text.as_bytes()).next()?.ok()
}

/// The held job as it is asked about, at an access point whose configuration is known and has no
/// policy. `ad` is that of the queue; without one the log alone is known.
pub(crate) fn held(job: JobId, ad: Option<&ClassAd>, files: Option<LocalFiles>, now: i64) -> Held {
    let Some(ad) = ad else { return Held::of_log(job) };
    let mut policies = Policies { files, ..Policies::unknown() };
    policies.knobs.insert("PERIODIC_EXPR_INTERVAL", "60");
    Held::of_ad(job, ad, false, &policies, now)
}

/// The epoch ads of a file, each with its banner.
pub(crate) fn epoch_ads(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let mut rest = text.split_inclusive('\n');
    let mut at = 0;
    std::iter::from_fn(move || {
        for line in rest.by_ref() {
            at += line.len();
            if line.starts_with("***") {
                let ad = &text[from..at];
                from = at;
                return Some(ad);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedd_knows_of_the_hold() {
        let text =
            "ClusterId = 4\nNumHolds = 1\nJobStatus = 2\n*** EPOCH\nClusterId = 5\n*** EPOCH\ncut";
        let ads: Vec<&str> = epoch_ads(text).collect();
        assert_eq!(ads.len(), 2);
        let hold = InQueue { held_at: 9, num_holds: 2, reason: "a \"b\"", code: 13, subcode: 2 };
        let ad = queue_ad(ads[0], &hold).unwrap();
        let numbers = ["ClusterId", "NumHolds", "JobStatus"].map(|name| ad.integer(name));
        assert_eq!(numbers, [Some(4), Some(2), Some(5)]);
    }

    #[test]
    fn what_the_reason_names_is_asked_for() {
        let inputs = |reason: &str, code: i32| {
            let hold = InQueue { held_at: 9, num_holds: 1, reason, code, subcode: 256 };
            let text = "TransferInput = \"a, osdf:///x/right.tar\"\n*** EPOCH";
            queue_ad(text, &hold).unwrap().string("TransferInput").unwrap()
        };
        let reason = |url: &str| format!("Error: server returned 404 Not Found ({url})");
        let (right, wrong) = (reason("osdf:///x/right.tar"), reason("osdf:///y/wrong.tar"));
        assert_eq!(inputs(&wrong, 13), "a, osdf:///x/right.tar,osdf:///y/wrong.tar");
        assert_eq!(inputs(&right, 13), "a, osdf:///x/right.tar");
        assert_eq!(inputs(&wrong, 12), "a, osdf:///x/right.tar");
    }
}
