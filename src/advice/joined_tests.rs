//! What evidence of two jobs has in common, as it is printed.

use super::super::{Ending, LimitFinding};
use super::*;
use crate::features::Scope;
use crate::sentences;

fn near(scope: Scope, name: Option<&str>) -> Near {
    Near { scope, name: name.map(Into::into), input: false }
}

fn over(seconds: i64) -> Evidence {
    Evidence::Over { by: Ending::Removed, seconds_ago: seconds.into() }
}

fn none_began(seconds: i64, name: Option<&str>) -> Evidence {
    Evidence::NoneBeganSince { near: near(Scope::Server, name), seconds: seconds.into() }
}

fn held_now(jobs: i64) -> Evidence {
    Evidence::HeldNow { near: near(Scope::Cluster, None), jobs: jobs.into(), code: 13 }
}

fn began(held_again: i64) -> Evidence {
    Evidence::BeganSince {
        near: near(Scope::Cluster, None),
        jobs: 2.into(),
        seconds_since_last: None,
        held_again: held_again.into(),
    }
}

fn memory(used: f64) -> Evidence {
    let share = (used / 20.0 * 100.0).into();
    Evidence::Memory { used: used.into(), provisioned: 20.0.into(), share, asked: None }
}

fn corrected(name: &str) -> Evidence {
    Evidence::Corrected { name: name.into() }
}

fn ran(seconds: f64) -> Evidence {
    let seen = LimitSeen::RunTime {
        finding: LimitFinding::Unknown,
        like: super::super::Like::Cluster,
        finished: 5,
        took: Some(Figure { least: 1.0, most: 3.0 }),
        ran: seconds.into(),
        limit: 10.0.into(),
        held_alike: 0,
        ran_again: 0,
        finished_again: 0,
    };
    Evidence::Limit { seen }
}

#[test]
fn figures_become_ranges_with_their_units() {
    for (one, other, expected) in [
        (
            none_began(300, None),
            none_began(60, None),
            "No other job with input from the same file server began to execute in the 1-5 minutes \
             since this hold.",
        ),
        (
            over(50),
            over(120),
            "The log shows that this job was removed 50 seconds to 2 minutes ago.",
        ),
        (
            over(2 * 86_400),
            over(3 * 3_600),
            "The log shows that this job was removed 3 hours to 2 days ago.",
        ),
        (held_now(1), held_now(3), "1-3 other jobs of this cluster are held for code 13 now."),
        (
            memory(10.0),
            memory(8.0),
            "Its last run used 8-10 MiB of memory; its slot had 20 MiB (40-50 %).",
        ),
        (
            ran(8.0),
            ran(9.0),
            "5 other jobs of this cluster finished in 1 to 3 s; this run was held after 8-9 s.",
        ),
        (
            corrected("/in/1.dat"),
            corrected("/in/20.dat"),
            "/in/[...].dat, which the hold reason names, was changed in the job or on disk since this \
             hold.",
        ),
    ] {
        let joined = [one.join(&other), other.join(&one)];
        for joined in joined {
            assert_eq!(sentences::evidence(&joined.unwrap()), expected);
        }
    }
}

#[test]
fn what_says_something_else_is_not_of_all() {
    for (one, other) in [
        (none_began(60, Some("hilltop")), none_began(60, Some("valley"))),
        (none_began(60, Some("hilltop")), none_began(60, None)),
        (began(0), began(1)),
        (corrected("/in/1.dat"), corrected("in/x/1")),
        (over(5), held_now(5)),
    ] {
        assert_eq!(one.join(&other), None, "{one:?}");
    }
}
