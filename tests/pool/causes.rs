//! What makes jobs go on hold in the pool story, as data: one row per cause, with what is true of
//! it.

/// What is true of a cause, whatever anybody advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// A fault outside the job: while it lasts a release fails, after it is mended a release as-is
    /// works.
    Transient {
        /// The fault as `pool fault` names it.
        fault: &'static str,
        /// A change that gets round the fault while it lasts, if there is one.
        round: Option<&'static str>,
    },
    /// Every release as-is fails until the job or its files are changed; the action names the kind
    /// of change.
    Permanent {
        /// `memory`, `disk`, `site` or `other`.
        change: &'static str,
    },
    /// A person wants the job on hold: no advice of ours may release or remove it.
    Person,
}

/// One cause of a hold.
pub(crate) struct Cause {
    /// Names the cause's folder in the owner's home directory, and its row.
    pub name: &'static str,
    /// What happened, for a reader of the table.
    pub label: &'static str,
    /// `HoldReasonCode` and `HoldReasonSubCode`; some differ between releases of HTCondor.
    pub codes: &'static [(i64, i64)],
    /// Shell commands run as the owner in the cause's folder before submission.
    pub setup: &'static str,
    /// Lines of the submit description that differ from [`COMMON`].
    pub submit: &'static str,
    /// Shell commands run as the owner after submission, with `$JOB` as the job's id.
    pub after_submit: &'static str,
    /// What is true.
    pub truth: Truth,
    /// Shell commands run as the owner in the cause's folder that mend the cause, with `$JOB` as
    /// the job's id. Empty where a release as-is is all there is to do.
    pub mend: &'static str,
}

/// Lines that all submit descriptions begin with.
pub(crate) const COMMON: &str = "\
executable = run.sh
log = job.log
output = job.out
error = job.err
should_transfer_files = YES
when_to_transfer_output = ON_EXIT
request_cpus = 1
request_memory = 64
request_disk = 20M
";

/// Folder of the owner's home directory that has one folder per cause.
pub(crate) const FOLDER: &str = "story";

/// A program that works a moment and finishes.
const WORKS: &str = "printf '#!/bin/sh\\nsleep 2\\necho done\\n' >run.sh; chmod +x run.sh";

/// The causes, in the order of the table.
pub(crate) const CAUSES: &[Cause] = &[
    Cause {
        name: "web-down",
        label: "input from a web server that is down",
        codes: &[(13, 256)],
        setup: WORKS,
        submit: "transfer_input_files = http://127.0.0.1:8080/genome.dat",
        after_submit: "",
        truth: Truth::Transient { fault: "web", round: None },
        mend: "",
    },
    Cause {
        name: "web-missing",
        label: "input that the web server does not have",
        codes: &[(13, 256)],
        setup: WORKS,
        submit: "transfer_input_files = http://127.0.0.1:8080/genom.dat",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "condor_qedit $JOB TransferInput '\"http://127.0.0.1:8080/genome.dat\"'",
    },
    Cause {
        name: "share-unreadable",
        label: "input directory unreadable for a while",
        codes: &[(13, 0), (13, 13)],
        setup: WORKS,
        submit: "transfer_input_files = /srv/share/calibration.dat",
        after_submit: "",
        truth: Truth::Transient { fault: "share", round: None },
        mend: "",
    },
    Cause {
        name: "input-missing",
        label: "input file that is not there",
        codes: &[(13, 2)],
        setup: WORKS,
        submit: "transfer_input_files = parameters.txt",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "echo 42 >parameters.txt",
    },
    Cause {
        name: "quota-full",
        label: "file system for the results full for a while",
        codes: &[(12, 28)],
        setup: "printf '#!/bin/sh\\nsleep 2\\nhead -c 300000 /dev/zero >result.dat\\n' >run.sh; chmod +x run.sh",
        submit: "transfer_output_files = result.dat\ntransfer_output_remaps = \"result.dat = /srv/results/$(Cluster).dat\"",
        after_submit: "",
        truth: Truth::Transient { fault: "quota", round: None },
        mend: "",
    },
    Cause {
        name: "output-missing",
        label: "declared output never made",
        codes: &[(12, 2)],
        setup: "printf '#!/bin/sh\\nsleep 2\\necho 1 >result.dat\\n' >run.sh; chmod +x run.sh",
        submit: "transfer_output_files = results.dat",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "condor_qedit $JOB TransferOutput '\"result.dat\"'",
    },
    Cause {
        name: "licence-down",
        label: "on_exit_hold, licence server down for a while",
        codes: &[(3, 75)],
        setup: "printf '#!/bin/sh\\nsleep 2\\ntest -e /srv/licence/up || exit 75\\n' >run.sh; chmod +x run.sh",
        submit: "on_exit_hold = ExitCode =?= 75\non_exit_hold_reason = \"temporary failure: the licence server did not answer\"\non_exit_hold_subcode = 75",
        after_submit: "",
        truth: Truth::Transient { fault: "licence", round: None },
        mend: "",
    },
    Cause {
        name: "site-broken",
        label: "on_exit_hold, software of one site broken for a while",
        codes: &[(3, 127)],
        setup: SITE_SOFTWARE,
        submit: SITE_SUBMIT,
        after_submit: "",
        truth: Truth::Transient { fault: "site", round: Some("site") },
        mend: "",
    },
    Cause {
        name: "bad-argument",
        label: "on_exit_hold, the program rejects its argument",
        codes: &[(3, 2)],
        setup: "printf '#!/bin/sh\\nsleep 2\\ntest \"$1\" = --fast || exit 2\\n' >run.sh; chmod +x run.sh",
        submit: "arguments = --fats\non_exit_hold = ExitCode =!= 0\non_exit_hold_subcode = ExitCode",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "condor_qedit $JOB Args '\"--fast\"'",
    },
    Cause {
        name: "too-long",
        label: "periodic_hold, runs longer than its own limit",
        codes: &[(3, 46)],
        setup: "printf '#!/bin/sh\\nsleep 14\\n' >run.sh; chmod +x run.sh",
        submit: "+RunLimit = 8\nperiodic_hold = JobStatus == 2 && time() - JobCurrentStartDate > RunLimit\nperiodic_hold_reason = \"ran longer than RunLimit\"\nperiodic_hold_subcode = 46",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "condor_qedit $JOB RunLimit 600",
    },
    Cause {
        name: "interpreter-missing",
        label: "script whose interpreter does not exist",
        codes: &[(6, 2)],
        setup: "printf '#!/usr/bin/pyhton3\\nprint(1)\\n' >run.sh; chmod +x run.sh",
        submit: "",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "sed -i 1s/pyhton3/python3/ run.sh",
    },
    Cause {
        name: "memory-access-point",
        label: "more memory than requested, policy of the access point",
        codes: &[(26, 34)],
        setup: HOG,
        submit: "requirements = GLIDEIN_Site == \"Hilltop\"",
        after_submit: "",
        truth: Truth::Permanent { change: "memory" },
        mend: "condor_qedit $JOB RequestMemory 512",
    },
    Cause {
        name: "memory-execution-point",
        label: "more memory than requested, policy of the execution point",
        codes: &[(21, 102), (34, 102)],
        setup: HOG,
        submit: "requirements = GLIDEIN_Site == \"Lakeside\"",
        after_submit: "",
        truth: Truth::Permanent { change: "memory" },
        mend: "condor_qedit $JOB RequestMemory 512",
    },
    Cause {
        name: "disk-execution-point",
        label: "more disk than requested, policy of the execution point",
        codes: &[(21, 104), (34, 104)],
        setup: "printf '#!/bin/sh\\nhead -c 80M /dev/zero >scratch.dat\\nsleep 20\\nrm scratch.dat\\n' >run.sh; chmod +x run.sh",
        submit: "",
        after_submit: "",
        truth: Truth::Permanent { change: "disk" },
        mend: "condor_qedit $JOB RequestDisk 200000",
    },
    Cause {
        name: "input-too-large",
        label: "more input than max_transfer_input_mb allows",
        codes: &[(32, 0)],
        setup: "printf '#!/bin/sh\\nsleep 2\\n' >run.sh; chmod +x run.sh; head -c 3M /dev/zero >large.dat",
        submit: "transfer_input_files = large.dat\nmax_transfer_input_mb = 1",
        after_submit: "",
        truth: Truth::Permanent { change: "other" },
        mend: "condor_qedit $JOB MaxTransferInputMB 10",
    },
    Cause {
        name: "folder-gone",
        label: "initial directory removed after submission",
        codes: &[(14, 2)],
        setup: "printf '#!/bin/sh\\nsleep 2\\n' >run.sh; chmod +x run.sh; mkdir -p run1",
        submit: "executable = $ENV(PWD)/run.sh\nlog = $ENV(PWD)/job.log\ninitialdir = run1\nhold = true",
        after_submit: "rmdir run1; condor_release $JOB",
        truth: Truth::Permanent { change: "other" },
        mend: "mkdir run1",
    },
    Cause {
        name: "user-hold",
        label: "put on hold by its owner",
        codes: &[(1, 0)],
        setup: WORKS,
        submit: "requirements = GLIDEIN_Site == \"Nowhere\"",
        after_submit: "condor_hold -reason 'look at the plots first' $JOB; condor_qedit $JOB Requirements true",
        truth: Truth::Person,
        mend: "",
    },
    Cause {
        name: "submitted-on-hold",
        label: "submitted on hold",
        codes: &[(15, 0)],
        setup: WORKS,
        submit: "hold = true",
        after_submit: "",
        truth: Truth::Person,
        mend: "",
    },
];

/// A program that uses 200 MB for a while and finishes.
const HOG: &str = "printf '#!/usr/bin/python3\\nimport time\\nx = b\"1\" * (200 << 20)\\ntime.sleep(20)\\n' >run.sh; chmod +x run.sh";

/// A program that ends as a shell does for a command that is not found, where the site's software
/// is broken.
const SITE_SOFTWARE: &str = r#"cat >run.sh <<'END'
#!/bin/sh
sleep 2
grep -qx 'GLIDEIN_Site = "Hilltop"' "$_CONDOR_MACHINE_AD" && test -e /srv/broken-site && exit 127
exit 0
END
chmod +x run.sh"#;

/// A job that wants one site.
const SITE_SUBMIT: &str = "requirements = GLIDEIN_Site == \"Hilltop\"\non_exit_hold = ExitCode =!= 0\non_exit_hold_subcode = ExitCode";

/// Ordinary jobs, so that the access point has a life of its own: name, setup, submit lines.
/// None of them uses a file that a job of [`CAUSES`] uses.
pub(crate) const OTHERS: &[(&str, &str, &str)] = &[
    ("web", WORKS, "transfer_input_files = http://127.0.0.1:8080/reads.dat"),
    ("share", WORKS, "transfer_input_files = /srv/share/background.dat"),
    (
        "quota",
        "printf '#!/bin/sh\\nsleep 2\\nhead -c 200000 /dev/zero >result.dat\\n' >run.sh; chmod +x run.sh",
        "transfer_output_files = result.dat\ntransfer_output_remaps = \"result.dat = /srv/results/$(Cluster).dat\"",
    ),
    (
        "licence",
        "printf '#!/bin/sh\\nsleep 2\\ntest -e /srv/licence/up || exit 75\\n' >run.sh; chmod +x run.sh",
        "on_exit_hold = ExitCode =?= 75\non_exit_hold_reason = \"temporary failure: the licence server did not answer\"\non_exit_hold_subcode = 75",
    ),
    ("site", SITE_SOFTWARE, SITE_SUBMIT),
    ("plain", WORKS, ""),
];
