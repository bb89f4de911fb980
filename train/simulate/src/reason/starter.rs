//! Holds that the starter reports before the program runs: 6, 7, 9, 19, 35, 45.
//!
//! Sources, in `src/condor_starter.V6.1`: `os_proc.cpp` (6, 45), `user_proc.cpp` (7),
//! `stream_handler.cpp` (9), `docker_proc.cpp` (35), `StarterHookMgr.cpp` (19);
//! `src/condor_daemon_core.V6/daemon_core.cpp` (interpreter);
//! `src/condor_shadow.V6.1/pseudo_ops.cpp` (`Error from`).

use super::fill::Names;
use super::{Place, Wording, Written};
use crate::cause::Symptom;
use crate::random::Dice;

const INTERPRETERS: [&str; 5] = [
    "/usr/bin/pyhton3",
    "/opt/conda/bin/python",
    "/usr/local/bin/Rscript",
    "/bin/bash\\r",
    "/usr/bin/env2",
];
/// Docker's daemon on an image that is not there.
const NO_IMAGE: [&str; 4] = [
    "Error response from daemon: manifest for {file} not found: manifest unknown: manifest unknown",
    "Error response from daemon: pull access denied for {file}, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    "Error response from daemon: no matching manifest for linux/amd64 in the manifest list entries",
    "docker: invalid reference format.",
];
/// Docker's daemon while a registry or its own disk is in trouble.
const NO_REGISTRY: [&str; 5] = [
    "Error response from daemon: toomanyrequests: You have reached your pull rate limit.",
    "Error response from daemon: Get \"https://registry.example.org/v2/\": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)",
    "Error response from daemon: Get \"https://registry.example.org/v2/\": dial tcp: lookup registry.example.org: i/o timeout",
    "Error response from daemon: received unexpected HTTP status: 503 Service Unavailable",
    "failed to register layer: write /usr/lib/libc.so: no space left on device",
];
const NO_SINGULARITY_IMAGE: [&str; 3] = [
    "FATAL:   could not open image {file}: failed to retrieve path for {file}: lstat {file}: no such file or directory",
    "FATAL:   While making image from oci registry: image {file} not found",
    "ERROR  : unknown image format/type: {file}",
];
const NO_SINGULARITY: [&str; 4] = [
    "FATAL:   container creation failed: mount /proc/self/fd/3 error: while mounting image: operation not permitted",
    "ERROR  : Failed to create user namespace: not allowed to create user namespace",
    "FATAL:   while extracting {file}: root filesystem extraction failed",
    "FATAL:   could not open image {file}: Transport endpoint is not connected",
];

pub(super) fn write(
    place: &Place<'_>,
    symptom: &Symptom,
    mut names: Names,
    dice: &mut Dice,
) -> Written {
    let (code, subcode, text) = match *symptom {
        Symptom::Execute { errno } => {
            names.errno = errno;
            names.file = if place.workflow.shared_filesystem {
                format!("{}/{}", names.iwd, place.workflow.program)
            } else if place.wording == Wording::V8 {
                format!("{}/condor_exec.exe", names.scratch)
            } else {
                format!("{}/{}", names.scratch, place.workflow.program)
            };
            names.a = i64::from(place.proc);
            let arguments =
                if place.cluster.word.is_multiple_of(2) { " with arguments {a}" } else { "" };
            INTERPRETERS[place.cluster.word % INTERPRETERS.len()].clone_into(&mut names.message);
            let own = !place.workflow.shared_filesystem && place.wording >= Wording::V10;
            let why = match errno {
                2 if own => "invalid interpreter ({message}) specified on first line of script ",
                _ => "",
            };
            let head = format!("Failed to execute '{{file}}'{arguments}: {why}");
            (6, errno, head + "(errno={errno}: '{error}')")
        }
        Symptom::Stdout { errno, streamed } => {
            names.errno = errno;
            names.file = format!("{}/logs/{}.out", names.iwd, place.proc);
            names.a = dice.between(40, 4_096);
            let (code, text) = match (streamed, place.wording) {
                (true, Wording::V25) => {
                    (9, "StreamHandler: stdout: write of {a} bytes to {file} failed: {error}")
                }
                (true, _) => {
                    (9, "StreamHandler: stdout: couldn't write to {file}: {error} (-1!={a})")
                }
                (false, _) => {
                    (7, "Failed to open '{file}' as standard output: {error} (errno {errno})")
                }
            };
            (code, errno, text.to_owned())
        }
        Symptom::Image { missing } => {
            names.file = image(place);
            let why = *if missing { dice.pick(&NO_IMAGE) } else { dice.pick(&NO_REGISTRY) };
            (35, 0, format!("Cannot pull image {{file}} {why}"))
        }
        Symptom::Singularity { missing } => {
            names.file = image(place);
            let lists: [&[_]; 2] = [&NO_SINGULARITY, &NO_SINGULARITY_IMAGE];
            let why = dice.pick(lists[usize::from(missing)]);
            (45, 0, format!("Singularity test failed:{why}"))
        }
        _ => {
            let text =
                "HOOK_PREPARE_JOB (/etc/condor/hooks/prepare-job) failed (reported status 001): ";
            (19, 1, text.to_owned())
        }
    };
    let raw = names.fill(&text);
    let reason = format!("Error from {}: {raw}", names.slot);
    Written { code, subcode, reason, raw, by_starter: true }
}

/// The container image of a cluster.
pub(crate) fn image(place: &Place<'_>) -> String {
    let project = place.workflow.project;
    let version = 1 + place.cluster.word % 5;
    match place.workflow.container {
        crate::world::Container::Singularity => {
            format!("{}/images/{project}-{version}.sif", place.cluster.iwd)
        }
        _ => format!("registry.example.org/{}/{project}:{version}.0", place.owner),
    }
}
