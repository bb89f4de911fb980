//! Holds of file transfer: 11, 12, 13, 18, 32, 33.
//!
//! Sources: `src/condor_utils/file_transfer.cpp` (`DoUpload`, `DoDownload`,
//! `InvokeFileTransferPlugin`), `src/condor_shadow.V6.1/baseshadow.cpp`
//! (`improveReasonAttributes`), `src/condor_schedd.V6/qmgmt.cpp` (32 at submission).

use super::fill::Names;
use super::{Place, Wording, Written, servers};
use crate::cause::{Symptom, UrlError};
use crate::random::Dice;

const AT_AP: &str = "Transfer input files failure at access point {ap} while sending files to execution point {slot}. Details: ";
const AT_EP: &str = "Transfer input files failure at execution point {slot} while receiving files from access point {ap}. Details: ";
const OUT_AT_EP: &str = "Transfer output files failure at execution point {slot} while sending files to access point {ap}. Details: ";
const OUT_AT_AP: &str = "Transfer output files failure at access point {ap} while receiving files from execution point {slot}. Details: ";
const READ: &str = "reading from file {file}: (errno {errno}) {error}";
const WRITE: &str = "writing to file {file}: (errno {errno}) {error}";
const PLUGIN: &str =
    "FILETRANSFER:1:non-zero exit (1) from {plugin}. |Error: {message} ( URL file = {url} )|";
const PLUGIN_OLD: &str =
    "|FILETRANSFER:1:non-zero exit (1) from {plugin}. Error: {message} ({url})|";

pub(super) fn write(
    place: &Place<'_>,
    symptom: &Symptom,
    mut names: Names,
    dice: &mut Dice,
) -> Written {
    let wording = place.wording;
    let input_service = |item: u16| {
        let services = &place.workflow.input_services;
        &place.world.services[services[usize::from(item) % services.len()]]
    };
    match *symptom {
        Symptom::ReadInput { errno, item } => {
            // A directory or a mount that vanishes while it is read leaves errno 0.
            names.errno = if errno != 2 && dice.chance(0.15) { 0 } else { errno };
            names.file = format!("{}/{}", names.iwd, input_name(place, item));
            let raw = "Error from {slot}: SHADOW at {ap_address} failed to send file(s) to <{ep_address}:{port}>: |Error: reading from file {file}: (errno {errno}) {error}; STARTER failed to receive file(s) from <{ap_address}:{port}>";
            let text = match wording {
                Wording::V8 => "Error from {slot}: SHADOW at {ap_address} failed to send file(s) to <{ep_address}:{port}>: error reading from {file}: (errno {errno}) {error}; STARTER failed to receive file(s) from <{ap_address}:{port}>".to_owned(),
                Wording::V25 if dice.chance(0.4) => {
                    format!("{AT_AP}1 total failures: first failure: {READ}")
                }
                _ => format!("{AT_AP}{READ}"),
            };
            held(13, names.errno, &names, &text, raw, false)
        }
        Symptom::WriteInput { errno, item } => {
            names.errno = errno;
            names.file = format!("{}/{}", names.scratch, input_name(place, item));
            let raw =
                "STARTER at {ep_address} - |Error: writing to file {file}: (errno {errno}) {error}";
            held(13, errno, &names, &format!("{AT_EP}{WRITE}"), raw, true)
        }
        Symptom::FetchUrl { error, item, wrong } => {
            let service = input_service(item);
            name_server(&mut names, service, wrong.then_some(error));
            names.url =
                url(place, service, item, &names.server, wrong && error == UrlError::Status(404));
            let ends_late = error == UrlError::TimedOut && dice.chance(0.2);
            names.message = servers::message(error, &mut names, dice);
            if ends_late {
                names.a = *dice.pick(&[300, 3_600, 72_000]);
                let late =
                    "FILETRANSFER:1:File transfer plugin {plugin} timed out after {a} seconds.";
                let raw = format!("Failed to transfer files: {late}");
                return held(13, 62, &names, &format!("{AT_EP}{late}"), &raw, true);
            }
            fetched(wording, &names, true, dice)
        }
        Symptom::PutUrl { error } => {
            let number = place.workflow.output_service.unwrap_or(0);
            let service = &place.world.services[number];
            name_server(&mut names, service, None);
            names.url = format!(
                "{}://{}{}/{}/{}/results_{}.tar.gz",
                service.scheme,
                names.server,
                service.root,
                place.owner,
                place.workflow.project,
                place.proc
            );
            names.message = servers::message(error, &mut names, dice);
            fetched(wording, &names, false, dice)
        }
        Symptom::NoPlugin { item } => {
            name_server(&mut names, input_service(item), None);
            names.file = format!("{}/{}", names.scratch, input_name(place, item));
            let text = format!(
                "{AT_EP}receiving file {{file}}: FILETRANSFER:1:FILETRANSFER: plugin for type {{scheme}} not found!"
            );
            let raw = "Failed to transfer files: FILETRANSFER:1:FILETRANSFER: plugin for type {scheme} not found!";
            held(13, 11, &names, &text, raw, true)
        }
        Symptom::TransferLost { input } => lost(input, wording, &names, dice),
        Symptom::Protocol { go_ahead } => {
            const NO_RESULT: &str =
                "GoAhead message missing attribute: Result.  Full classad: [|Timeout = 300|]";
            let (code, subcode, text) = match go_ahead {
                true => (18, 1, NO_RESULT),
                false => (11, 0, "Download acknowledgment missing attribute: Result"),
            };
            held(code, subcode, &names, &format!("Error from {{slot}}: {text}"), text, true)
        }
        Symptom::MissingOutput => {
            names.errno = 2;
            names.file = format!("{}/{}", names.scratch, output_name(place));
            let raw = "Failed to transfer files: STARTER at {ep_address} failed to send file(s) to <{ap_address}:{port}>: |Error: reading from file {file}: (errno {errno}) {error}; SHADOW failed to receive file(s) from <{ep_address}:{port}>";
            let text = if wording == Wording::V25 && dice.chance(0.4) {
                format!("{OUT_AT_EP}1 total failures: first failure: {READ}")
            } else {
                format!("{OUT_AT_EP}{READ}")
            };
            held(12, 2, &names, &text, raw, true)
        }
        Symptom::WriteOutput { errno } => {
            names.errno = errno;
            names.file = format!("{}/{}", names.iwd, output_name(place));
            let raw = "Error from {slot}: STARTER at {ep_address} failed to send file(s) to <{ap_address}:{port}>; SHADOW at {ap_address} - |Error: writing to file {file}: (errno {errno}) {error}";
            let text = if wording == Wording::V8 {
                "Error from {slot}: STARTER at {ep_address} failed to send file(s) to <{ap_address}:{port}>; SHADOW at {ap_address} failed to write to file {file}: (errno {errno}) {error}".to_owned()
            } else {
                format!("{OUT_AT_AP}{WRITE}")
            };
            held(12, errno, &names, &text, raw, false)
        }
        Symptom::TooLargeInput => {
            names.a = dice.between(2, 40) * 512 + dice.between(1, 500);
            names.b = 1_024;
            names.file = format!("{}/{}", names.iwd, input_name(place, 0));
            let raw = "sending file {file}: max total upload bytes exceeded (max={b} MB, this file={a} MB)";
            let text = if place.run.is_none() {
                "TransferInputSizeMB ({a}) is greater than MAX_TRANSFER_INPUT_MB ({b}) at submit time".to_owned()
            } else {
                format!("{AT_AP}{raw}")
            };
            held(32, 0, &names, &text, raw, false)
        }
        _ => {
            names.b = 2_048;
            names.file = format!("{}/{}", names.iwd, output_name(place));
            let raw = "receiving file {file}: max total download bytes exceeded (max={b} MB)";
            held(33, 0, &names, &format!("{OUT_AT_AP}{raw}"), raw, false)
        }
    }
}

fn held(
    code: i32,
    subcode: i32,
    names: &Names,
    text: &str,
    raw: &str,
    by_starter: bool,
) -> Written {
    Written { code, subcode, reason: names.fill(text), raw: names.fill(raw), by_starter }
}

fn fetched(wording: Wording, names: &Names, input: bool, dice: &mut Dice) -> Written {
    let (code, direction) = if input { (13, "input") } else { (12, "output") };
    let new = format!(
        "Transfer {direction} files failure at execution point {{slot}} using protocol {{scheme}}. Details: {{message}} ( URL file = {{url}} )|"
    );
    let text = match wording {
        Wording::V8 | Wording::V10 if input => {
            let file = if dice.chance(0.5) { PLUGIN } else { PLUGIN_OLD };
            format!("{AT_EP}receiving file {{scratch}}/{{file}}: {file}")
        }
        _ => new,
    };
    held(code, 256, names, &text, &format!("Failed to transfer files: {PLUGIN}"), true)
}

fn lost(input: bool, wording: Wording, names: &Names, dice: &mut Dice) -> Written {
    const INPUT: [&str; 3] = [
        "SHADOW at {ap_address} failed to send file(s) to <{ep_address}:{port}>; STARTER failed to receive file(s) from <{ap_address}:{port}>",
        "STARTER at {ep_address} failed to receive file {scratch}/input.tar.gz; SHADOW at {ap_address} failed to send file(s) to <{ep_address}:{port}>",
        "SHADOW at {ap_address} failed to send file(s) to disconnected socket",
    ];
    const OUTPUT: [&str; 3] = [
        "STARTER at {ep_address} failed to send file(s) to <{ap_address}:{port}>; SHADOW failed to receive file(s) from <{ep_address}:{port}>",
        "SHADOW at {ap_address} failed to receive file {iwd}/results.tar.gz; STARTER at {ep_address} failed to send file(s) to <{ap_address}:{port}>",
        "STARTER at {ep_address} failed to send file(s) to disconnected socket",
    ];
    let said = *dice.pick(if input { &INPUT } else { &OUTPUT });
    let raw = format!("Error from {{slot}}: {said}");
    let (code, at) = if input { (13, AT_AP) } else { (12, OUT_AT_EP) };
    let text = match wording {
        Wording::V8 => raw.clone(),
        _ => format!("{at}{said}"),
    };
    held(code, 0, names, &text, &raw, !input)
}

fn name_server(names: &mut Names, service: &crate::world::Service, wrong: Option<UrlError>) {
    names.scheme = service.scheme.to_owned();
    names.plugin = format!("/usr/libexec/condor/{}", service.plugin);
    names.server_port = i64::from(service.port);
    names.server = match wrong {
        // A letter too many, as people mistype.
        Some(UrlError::Unresolved) => service.host.replacen('.', "s.", 1),
        _ => service.host.clone(),
    };
    if matches!(wrong, Some(UrlError::Refused | UrlError::TimedOut)) {
        names.server_port += 1;
    }
    names.file = "input.tar.gz".to_owned();
}

/// Name of an input file. The first differs between jobs, others are shared.
pub(crate) fn input_name(place: &Place<'_>, item: u16) -> String {
    const SHARED: [&str; 4] = ["parameters.json", "reference.tar.gz", "model.sif", "config.yml"];
    if item == 0 {
        format!("input/part_{:04}.dat", place.proc)
    } else {
        SHARED[(usize::from(item) + place.cluster.word) % SHARED.len()].to_owned()
    }
}

pub(crate) fn output_name(place: &Place<'_>) -> String {
    const NAMES: [&str; 5] = ["results.tar.gz", "out.h5", "summary.csv", "output", "fit.root"];
    let name = NAMES[(place.cluster.word + place.cluster.workflow) % NAMES.len()];
    if place.cluster.word.is_multiple_of(2) {
        name.to_owned()
    } else {
        format!("{}_{name}", place.proc)
    }
}

/// The URL of an input. The first differs between jobs unless the cluster shares one archive.
pub(crate) fn url(
    place: &Place<'_>,
    service: &crate::world::Service,
    item: u16,
    server: &str,
    wrong: bool,
) -> String {
    let part = if place.cluster.word.is_multiple_of(3) || item > 0 {
        format!("{}-v{}.tar.gz", place.workflow.project, 1 + place.cluster.word % 4)
    } else {
        format!("part_{:04}.tar", place.proc)
    };
    let project = place.workflow.project;
    let typo = if wrong { "s" } else { "" };
    let port = match (service.scheme, service.port) {
        ("http", 80) | ("https" | "s3", 443) | ("root", 1094) | ("gsiftp", 2811) => String::new(),
        (_, port) => format!(":{port}"),
    };
    let owner = place.owner;
    match service.scheme {
        "osdf" => format!("osdf://{}/{owner}/{project}{typo}/{part}", service.root),
        scheme => {
            format!("{scheme}://{server}{port}{}/{owner}/{project}{typo}/{part}", service.root)
        }
    }
}
