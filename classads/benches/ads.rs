//! `cargo bench -p classads`: reading `-long` ads and evaluating a policy.

use std::fmt::Write as _;
use std::hint::black_box;

use classads::{ClassAd, EvalContext, Expr};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

fn main() {
    divan::main();
}

/// Ads of about 5 KB and 120 attributes, as `condor_q -long` prints a held job.
fn queue(ads: u32) -> String {
    let mut text = String::new();
    for cluster in 1..=ads {
        let _ = write!(
            text,
            "ClusterId = {cluster}\nProcId = 0\nJobStatus = 5\nOwner = \"user{0}\"\nHoldReasonCode = 13\n\
             HoldReasonSubCode = 256\nNumHolds = 2\nNumJobStarts = 3\nEnteredCurrentStatus = 1700000000\n\
             HoldReason = \"Transfer input files failure at execution point slot1_{0}@ep{0}.example.org using protocol \
             https. Details: Error from slot1@ep{0}.example.org: FILETRANSFER:1:non-zero exit (1) from plugin\"\n\
             PeriodicRelease = (NumJobStarts < 5) && ((time() - EnteredCurrentStatus) > 60 * 60)\n\
             Requirements = (TARGET.Arch == \"X86_64\") && (TARGET.OpSys == \"LINUX\") && (TARGET.Disk >= RequestDisk) \
             && (TARGET.Memory >= RequestMemory) && (TARGET.HasFileTransfer)\n\
             RequestMemory = ifthenelse(MemoryUsage =!= undefined,MemoryUsage,1024)\n",
            cluster % 50
        );
        for attribute in 0..110_u32 {
            let _ = match attribute % 4 {
                0 => writeln!(text, "SomeIntegerAttribute{attribute} = {}", attribute * cluster),
                1 => writeln!(text, "SomeRealAttribute{attribute} = {}.5", attribute * 1000),
                2 => writeln!(
                    text,
                    "SomeStringAttribute{attribute} = \"/home/user/run{cluster}/file\""
                ),
                _ => writeln!(text, "SomeFlag{attribute} = false"),
            };
        }
        text.push('\n');
    }
    text
}

const ADS: u32 = 2_000;

fn input(bencher: Bencher<'_, '_>, read: impl Fn(&str) + Sync) {
    let text = queue(ADS);
    bencher
        .counter(BytesCount::new(text.len()))
        .counter(ItemsCount::new(ADS))
        .bench(|| read(black_box(&text)));
}

/// Reading, one attribute used of each ad.
#[divan::bench]
fn read_long_lazily(bencher: Bencher<'_, '_>) {
    input(bencher, |text| {
        for ad in classads::read_ads(text.as_bytes()) {
            black_box(ad.ok().and_then(|ad| ad.integer("JobStatus")));
        }
    });
}

/// Reading, every expression parsed.
#[divan::bench]
fn read_long_and_parse(bencher: Bencher<'_, '_>) {
    input(bencher, |text| {
        for ad in classads::read_ads(text.as_bytes()).flatten() {
            black_box(ad.iter().count());
        }
    });
}

/// Reading five attributes of each ad.
#[divan::bench]
fn read_long_projected(bencher: Bencher<'_, '_>) {
    let names = ["ClusterId", "ProcId", "JobStatus", "HoldReasonCode", "HoldReason"];
    input(bencher, |text| {
        for ad in classads::read_ads(text.as_bytes()).with_projection(names) {
            black_box(ad.ok().map(|ad| ad.len()));
        }
    });
}

/// A release policy on an ad of 123 attributes whose attributes were used before.
#[divan::bench]
fn evaluate_periodic_release(bencher: Bencher<'_, '_>) {
    let text = queue(1);
    let ad = classads::read_ads(text.as_bytes()).flatten().next().unwrap_or_default();
    let policy = "(NumJobStarts < 5) && (HoldReasonCode =?= 13) && ((time() - EnteredCurrentStatus) > 60 * 60)";
    let Ok(policy) = Expr::parse(policy) else { return };
    let context = EvalContext::at(1_700_010_000);
    bencher.counter(ItemsCount::new(1_u32)).bench(|| evaluate(&ad, &policy, &context));
}

fn evaluate(ad: &ClassAd, policy: &Expr, context: &EvalContext<'_>) -> classads::Value {
    black_box(ad).evaluate_expr(black_box(policy), context)
}

/// Parsing a release policy.
#[divan::bench]
fn parse_periodic_release(bencher: Bencher<'_, '_>) {
    let policy = "(NumJobStarts < 5) && (HoldReasonCode =?= 13) && ((time() - EnteredCurrentStatus) > 60 * 60)";
    bencher.counter(BytesCount::new(policy.len())).bench(|| Expr::parse(black_box(policy)));
}
