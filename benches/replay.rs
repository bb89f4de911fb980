//! How fast release expressions are replayed: `cargo bench --bench replay`.
//!
//! Holds are drawn with codes, counts, times and ends in about the mix of a simulated access point
//! (preset `ospool`); each of the ten expressions of `scripts/benchmark-replay.expressions` by
//! itself, then all of them. `scripts/benchmark-replay` reads logs.

use divan::Bencher;
use divan::counter::ItemsCount;
use eventlog::JobId;
use holdadvise::advice::Costs;
use holdadvise::policy::Version;
use holdadvise::replay::{
    HoldEnd, PastHold, Releaser, ReplayExpression, Rules, Successes, Ticks, replay,
};
use holdadvise::suggest::suggest;

fn main() {
    divan::main();
}

const HOLDS: usize = 200_000;

const START: i64 = 1_700_000_000;

/// Code, subcode, share in 100, and how many of 100 releases succeed.
const REASONS: [(i32, i32, u64, u64); 12] = [
    (13, 0, 19, 40),
    (13, 2, 12, 10),
    (12, 2, 13, 15),
    (12, 28, 5, 60),
    (6, 2, 7, 55),
    (26, 0, 9, 5),
    (34, 102, 11, 8),
    (34, 104, 4, 20),
    (3, 0, 8, 30),
    (1, 0, 6, 90),
    (21, 0, 4, 70),
    (13, 110, 2, 80),
];

/// Numbers without pattern, always the same ones (splitmix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }

    /// Most are short, a few are days.
    fn seconds(&mut self, least: u32, most: u32) -> i64 {
        let bits = u64::from(least) + self.below(u64::from(most - least));
        (1_i64 << bits) + i64::try_from(self.below(1 << bits)).unwrap_or(0)
    }
}

fn hold(draw: &mut Draw, number: usize) -> PastHold {
    let mut share = draw.below(100);
    let (code, subcode, _, success) = REASONS
        .into_iter()
        .find(|(_, _, of_hundred, _)| {
            let found = share < *of_hundred;
            share = share.saturating_sub(*of_hundred);
            found
        })
        .unwrap_or(REASONS[0]);
    let held_at = START + i64::try_from(number).unwrap_or(0) * 60;
    let released_at = held_at + draw.seconds(5, 19);
    let by_policy = draw.below(3) == 0;
    let hold_end = match draw.below(100) {
        0..8 => HoldEnd::Removed { at: released_at },
        8..12 => HoldEnd::Changed { released_at },
        12..16 => HoldEnd::Open { released_at },
        16..18 => HoldEnd::Held { until: None },
        _ if draw.below(100) < success => HoldEnd::Success { released_at },
        _ => HoldEnd::Failure { released_at, failed_at: released_at + draw.seconds(5, 15) },
    };
    let num_holds = 1 + i64::from(draw.below(1 << 6).trailing_zeros().min(6));
    let reason = format!(
        "Transfer input files failure at execution point slot1_{}@node{}.example: (errno {}) {}",
        draw.below(64),
        draw.below(3_000),
        draw.below(120),
        ["no space left on device", "connection timed out", "no such file"]
            [usize::try_from(draw.below(3)).unwrap_or(0)],
    );
    PastHold {
        job: JobId::new(
            i32::try_from(number / 10).unwrap_or(0),
            i32::try_from(number % 10).unwrap_or(0),
        ),
        held_at,
        code,
        subcode,
        num_holds: Some(num_holds),
        starts: Some(i64::try_from(draw.below(6)).unwrap_or(0)),
        submitted_at: Some(held_at - draw.seconds(8, 18)),
        before: (num_holds > 1).then_some((13, 2)),
        owner: Some("alice".into()),
        resource: None,
        reason: Some(reason.into()),
        ad: None,
        by_policy,
        ran: draw.seconds(5, 14),
        hold_end,
    }
}

fn holds() -> Vec<PastHold> {
    let mut draw = Draw(1);
    (0..HOLDS).map(|number| hold(&mut draw, number)).collect()
}

fn texts() -> impl Iterator<Item = &'static str> {
    include_str!("../scripts/benchmark-replay.expressions").lines().filter(|line| !line.is_empty())
}

fn rules() -> Rules {
    Rules {
        ticks: Ticks { interval: 60, phase: 0 },
        max_releases: None,
        costs: Costs::default(),
        end: START + i64::try_from(HOLDS).unwrap_or(0) * 60,
    }
}

fn bench(bencher: Bencher, texts: &[&str]) {
    let holds = holds();
    let successes = Successes::of(&holds);
    let releasers: Vec<Releaser> = texts
        .iter()
        .filter_map(|text| ReplayExpression::parse(text).ok())
        .map(|expression| Releaser::Expression(Box::new(expression)))
        .collect();
    assert_eq!(releasers.len(), texts.len());
    bencher
        .counter(ItemsCount::new(holds.len() * texts.len()))
        .bench(|| replay(&holds, &successes, &releasers, &rules()));
}

/// One expression on all holds.
#[divan::bench(args = 0..10_usize, sample_count = 10)]
fn expression(bencher: Bencher, number: usize) {
    bench(bencher, &texts().skip(number).take(1).collect::<Vec<_>>());
}

/// Ten expressions on all holds.
#[divan::bench(sample_count = 10)]
fn expressions(bencher: Bencher) {
    bench(bencher, &texts().collect::<Vec<_>>());
}

/// Learning from all holds how releases come out.
#[divan::bench(sample_count = 10)]
fn successes(bencher: Bencher) {
    let holds = holds();
    bencher.counter(ItemsCount::new(holds.len())).bench(|| Successes::of(&holds));
}

/// An expression made from all holds.
#[divan::bench(sample_count = 3)]
fn suggestion(bencher: Bencher) {
    let holds = holds();
    let successes = Successes::of(&holds);
    bencher
        .counter(ItemsCount::new(holds.len()))
        .bench(|| suggest(&holds, &successes, None, &rules(), Version::NEWEST));
}
