//! Programs that are stuck when they run for the first time, with the lines that `-suggest` gives
//! for long runs: they are held soon after the limit, released, and exit.

use eventlog::{Body, JobId, ReadOptions};
use holdadvise::history::{Run, RunEnd, RunsOf};
use holdadvise::replay::{PastHolds, Sources};
use holdadvise::suggest::LongRuns;
use jiff::tz::TimeZone;

use crate::pool::harness::Pool;

const OWNER: &str = "alice";
const FOLDER: &str = "long_runs";

/// Seconds after which a run is held, how much later depends on the machine, and after which a
/// stuck run would end.
const LIMIT: i64 = 10;
const STUCK: i64 = 600;

/// Longer than the limit, which the second run is not.
const PROGRAM: &str = r#"
cat >stuck.sh <<'END'
#!/bin/bash
grep -q '^NumJobStarts *= *0$' "$_CONDOR_JOB_AD" && sleep 600
sleep 3
END
cat >slow.sh <<'END'
#!/bin/bash
if [ "$1" = -classad ]; then
    printf '%s\n' 'MultipleFileSupport = true' 'PluginType = "FileTransfer"' 'PluginVersion = "1"' 'SupportedMethods = "slow"'
    exit
fi
while [ $# -gt 0 ]; do
    case $1 in -infile) in=$2 ;; -outfile) out=$2 ;; esac
    shift
done
sleep 9
file=$(sed -n 's/.*LocalFileName *= *"\([^"]*\)".*/\1/p' "$in")
echo input >"$file"
echo "[ TransferSuccess = true; TransferUrl = \"slow://server/input\"; TransferFileName = \"$file\" ]" >"$out"
END
chmod +x stuck.sh slow.sh
"#;

/// Its input takes longer than policies wait.
const SLOW: &str = "executable = stuck.sh\nshould_transfer_files = YES\n\
     transfer_plugins = slow=slow.sh\ntransfer_input_files = slow://server/input";
/// Nothing of it is transferred.
const IN_PLACE: &str = "executable = stuck.sh\ntransfer_executable = False\n\
     should_transfer_files = NO\nrequirements = True";

/// What a log tells of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    Began,
    Held(i32, i32),
    Released,
    Exited,
}

/// Plays the jobs, with the lines and with what most would write in their place.
///
/// # Panics
/// Where they come to something else than was meant.
pub(crate) fn play(pool: &Pool) {
    let limited = LongRuns {
        limit: LIMIT,
        exited: 100,
        longest_exited: 3,
        stuck: 10,
        longest_stuck: STUCK,
        stuck_clusters: 10,
        saved: 1.0,
        gain: 0.01,
        ran_again: 10,
        exited_again: 10,
        releases: true,
    };
    // As where there was an expression before.
    let mut lines = vec!["periodic_release = HoldReasonCode =?= 13".to_owned()];
    lines.extend(limited.lines());
    let release = limited.release().expect("a release");
    lines.push(format!("periodic_release = $(periodic_release) || ({release})"));
    let lines = lines.join("\n");
    let unguarded = lines.replace("JobCurrentStartExecutingDate >= ShadowBday && ", "");
    assert_ne!(lines, unguarded);

    pool.shell(OWNER, FOLDER, PROGRAM);
    let submit = |job: &str, lines: &str| {
        let more = "log = job.log\nrequest_memory = 16\nrequest_disk = 1M";
        let id = pool.submit(OWNER, FOLDER, &format!("{job}\n{more}\n{lines}"));
        let cluster = id.split_once('.').and_then(|(cluster, _)| cluster.parse().ok());
        JobId::new(cluster.unwrap_or_else(|| panic!("no job id: {id}")), 0)
    };
    let good = [submit(SLOW, &lines), submit(IN_PLACE, &lines)];
    let endless = submit(SLOW, &unguarded);
    let log = pool.path(&format!("/home/{OWNER}/{FOLDER}/job.log"));
    let told = |job: JobId| -> Vec<(i64, Told)> {
        let options = ReadOptions::in_zone(TimeZone::UTC);
        let mut log = eventlog::open(&log, &options).expect("the jobs' log");
        let mut told = Vec::new();
        while let Some(event) = log.next_event() {
            let event = event.expect("an undamaged log");
            let what = match event.body() {
                Body::Execute(_) => Told::Began,
                Body::Held(held) => Told::Held(held.code.unwrap_or(0), held.subcode.unwrap_or(0)),
                Body::Released(_) => Told::Released,
                Body::Terminated(_) => Told::Exited,
                _ => continue,
            };
            if event.job == job {
                told.push((event.time.seconds, what));
            }
        }
        told
    };
    let holds = |job| told(job).iter().filter(|(_, what)| matches!(what, Told::Held(..))).count();
    pool.wait_for("the end of stuck programs", || {
        let exited = |job| told(job).iter().any(|(_, what)| *what == Told::Exited);
        good.into_iter().all(exited) && holds(endless) > 2
    });
    pool.shell(OWNER, FOLDER, &format!("condor_rm {}", endless.cluster));

    for job in good {
        let events = told(job);
        let kinds: Vec<Told> = events.iter().map(|(_, what)| *what).collect();
        let meant = [Told::Began, Told::Held(3, 47), Told::Released, Told::Began, Told::Exited];
        assert_eq!(kinds, meant, "{job}: {events:?}");
    }
    // Held again before it began: the time is that of the run before.
    let kinds: Vec<Told> = told(endless).into_iter().map(|(_, what)| what).collect();
    let meant = [Told::Began, Told::Held(3, 47), Told::Released, Told::Held(3, 47), Told::Released];
    assert_eq!(kinds[..5], meant, "{kinds:?}");

    let sources = Sources { user_logs: vec![log.clone()], runs: RunsOf::All, ..Sources::default() };
    let read = PastHolds::read(&sources).expect("the jobs' log");
    for job in good {
        let runs: Vec<&Run> = read.runs.iter().filter(|run| run.job == job).collect();
        let [held, exited] = runs[..] else { panic!("{job}: {runs:?}") };
        assert_eq!((held.end, exited.end), (RunEnd::Held, RunEnd::Exited), "{job}");
        assert!((LIMIT..STUCK).contains(&held.seconds), "{job}: held after {held:?}");
        assert!(exited.seconds < held.seconds.max(LIMIT), "{job}: {exited:?}");
        println!("{}: a stuck run was held after {} s, limit {LIMIT} s", job, held.seconds);
    }
}
