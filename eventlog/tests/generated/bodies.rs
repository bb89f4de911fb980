//! Typed fields as HTCondor 25 may write them.

use eventlog::*;

use crate::draw::Draw;

/// The kinds that have typed fields in HTCondor, of which those it reads back in text form come
/// first.
pub(crate) const KINDS: [u16; 56] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26, 27, 28, 29,
    30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 46, 47, 17, 18, 19, 20, 48, 99, 100, 101, 102, 104,
    105, 108, 110, 111, 112, 113, 199, 345,
];

/// Kinds that HTCondor writes and cannot read in text form.
pub(crate) const UNREADABLE: [u16; 5] = [41, 42, 43, 44, 45];

fn text(text: String) -> Text<'static> {
    text.into()
}

fn usage(draw: &mut Draw) -> CpuUsage {
    let mut seconds = || draw.below(100_000_000) / draw.pick(&[1, 100, 100_000, 100_000_000]);
    CpuUsage { user: seconds(), system: seconds() }
}

/// The names of resources and the units HTCondor writes behind them.
const RESOURCES: [(&str, &str); 9] = [
    ("Cpus", ""),
    ("Disk", "KB"),
    ("Memory", "MB"),
    ("Gpus", "Average"),
    ("GpusMemory", "MB"),
    ("GPUs", ""),
    ("TimeExecute", "s"),
    ("Bandwidth_Of_The_Site", ""),
    ("IoHeavy", ""),
];

/// A table; each resource stands there once whatever its case, sorted.
fn resources(draw: &mut Draw, readable: bool) -> Vec<Resource<'static>> {
    let percent = draw.pick(&[0, 30, 100]);
    let mut rows: Vec<Resource<'_>> = Vec::new();
    for (name, unit) in RESOURCES {
        let known = rows.iter().any(|row| row.name.eq_ignore_ascii_case(name));
        if known || !draw.chance(percent) {
            continue;
        }
        let amount = |draw: &mut Draw| match draw.below(4) {
            0 => draw.below(10_000) as f64 / 100.0,
            1 => draw.below(1 << 40) as f64,
            _ => draw.below(9) as f64,
        };
        let is_time = name == "TimeExecute";
        let usage = draw.some(if is_time { 100 } else { 60 }, amount);
        let request = draw.some(if is_time { 0 } else { 80 }, amount);
        let allocated = if is_time { None } else { Some(amount(draw)) };
        let assigned = draw.some(if is_time { 0 } else { 20 }, |draw| {
            text(format!("\"GPU-{:x}\"", draw.below(1 << 32)))
        });
        let row = Resource {
            name: name.into(),
            unit: unit.into(),
            usage,
            request,
            allocated,
            assigned,
            ..Resource::default()
        };
        if !readable || row.request.is_some() {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| row.name.to_ascii_lowercase());
    rows
}

fn ending(draw: &mut Draw) -> (Option<i32>, Option<i32>, Option<Text<'static>>) {
    if draw.chance(60) {
        (Some(draw.int()), None, None)
    } else {
        (None, Some(draw.natural()), draw.some(50, |draw| text(draw.line())))
    }
}

fn terminated(draw: &mut Draw, ad: bool) -> Terminated<'static> {
    let (return_value, signal, core_file) = ending(draw);
    Terminated {
        return_value,
        signal,
        core_file,
        run_remote: usage(draw),
        run_local: usage(draw),
        total_remote: usage(draw),
        total_local: usage(draw),
        bytes_sent: Some(draw.float_bytes()),
        bytes_received: Some(draw.float_bytes()),
        total_bytes_sent: Some(draw.float_bytes()),
        total_bytes_received: Some(draw.float_bytes()),
        resources: resources(draw, ad),
        ..Terminated::default()
    }
}

/// `Name = expression` pairs, sorted, each once.
fn attributes(draw: &mut Draw, least: u64) -> Vec<(Text<'static>, Text<'static>)> {
    let mut pairs: Vec<(Text<'_>, Text<'_>)> = Vec::new();
    for _ in 0..least + draw.below(5) {
        let name = draw.name();
        if !pairs.iter().any(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            pairs.push((name.into(), draw.expression().into()));
        }
    }
    pairs.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    pairs
}

fn execute(draw: &mut Draw) -> Execute<'static> {
    Execute {
        execute_host: text(draw.host()),
        slot_name: draw.some(60, |draw| text(format!("{}@ep", draw.host()))),
        properties: attributes(draw, 0),
    }
}

fn reason(draw: &mut Draw) -> Option<Text<'static>> {
    draw.some(80, |draw| text(draw.loose_line()))
}

/// Notes of a submission.
fn notes(draw: &mut Draw) -> Option<Text<'static>> {
    draw.some(70, |draw| match draw.below(3) {
        0 => text(format!(
            "[ DAGNodeName = \"N{}\"; DAGParentNodeNames = \"a,b\" ]",
            draw.below(100)
        )),
        1 => text(format!("DAG Node: N{}", draw.below(100))),
        // What begins with a bracket is structured.
        _ => text(format!("n {}", draw.line())),
    })
}

/// Fields of an event of this kind. `ad`: they are told by attributes, too.
pub(crate) fn body(draw: &mut Draw, number: u16, ad: bool) -> Body<'static> {
    match number {
        0 => {
            let log_notes = notes(draw);
            // The first line is one of log notes.
            let is_plain = log_notes.as_deref().is_some_and(|notes| !notes.starts_with('['));
            let user_notes =
                draw.some(if is_plain { 40 } else { 0 }, |draw| text(format!("u {}", draw.line())));
            let warnings =
                "WARNING: Committed job submission into the queue with the following warning(s): ";
            Body::Submit(Submit {
                submit_host: text(draw.host()),
                log_notes,
                user_notes,
                warnings: draw.some(if ad { 0 } else { 20 }, |draw| {
                    text(format!("{warnings}{}", draw.line()))
                }),
                dag_node: None,
            })
        }
        1 => Body::Execute(execute(draw)),
        2 => Body::ExecutableError(ExecutableError { error_type: Some(draw.pick(&[0, 1])) }),
        3 => Body::Checkpointed(Checkpointed {
            run_remote: usage(draw),
            run_local: usage(draw),
            bytes_sent: Some(draw.bytes()),
        }),
        4 => {
            let requeued = draw.chance(30);
            let (return_value, signal, core_file) =
                if requeued { ending(draw) } else { (None, None, None) };
            let code = draw.some(50, Draw::int).filter(|code| *code != 0);
            Body::Evicted(Evicted {
                checkpointed: !requeued && draw.chance(30),
                terminated_and_requeued: requeued,
                return_value,
                signal,
                core_file,
                reason: draw.some(70, |draw| {
                    text(if requeued { format!("r {}", draw.line()) } else { draw.loose_line() })
                }),
                code,
                subcode: code.map(|_| draw.int()),
                run_remote: usage(draw),
                run_local: usage(draw),
                bytes_sent: Some(draw.bytes()),
                bytes_received: Some(draw.bytes()),
                resources: if ad { Vec::new() } else { resources(draw, false) },
                ..Evicted::default()
            })
        }
        5 => Body::Terminated(terminated(draw, ad)),
        6 => Body::ImageSize(ImageSize {
            image_size_kb: Some(draw.int().into()),
            memory_usage_mb: draw.some(80, |draw| draw.natural().into()),
            resident_set_size_kb: Some(draw.bytes() as i64),
            proportional_set_size_kb: draw.some(50, |draw| draw.bytes() as i64),
        }),
        7 => Body::ShadowException(ShadowException {
            message: text(draw.loose_line()),
            bytes_sent: Some(draw.bytes()),
            bytes_received: Some(draw.bytes()),
        }),
        8 => Body::Generic(text(draw.loose_line())),
        9 => Body::Aborted(Aborted { reason: reason(draw), ..Aborted::default() }),
        10 => Body::Suspended(Suspended { processes: Some(draw.int()) }),
        11 => Body::Unsuspended,
        12 => Body::Held(Held {
            reason: reason(draw),
            code: Some(draw.int()),
            subcode: Some(draw.int()),
        }),
        13 => Body::Released(Released { reason: reason(draw) }),
        14 => Body::NodeExecute(NodeExecute { node: Some(draw.int()), execute: execute(draw) }),
        15 => Body::NodeTerminated(NodeTerminated {
            node: Some(draw.natural()),
            terminated: terminated(draw, ad),
        }),
        16 => {
            let (return_value, signal, _) = ending(draw);
            let dag_node = draw.some(70, |draw| text(draw.line()));
            Body::PostScriptTerminated(PostScriptTerminated { return_value, signal, dag_node })
        }
        21 => {
            let code = draw.some(50, Draw::int).filter(|code| *code != 0);
            let line = |draw: &mut Draw| {
                draw.some(80, |draw| format!("m {}", draw.loose_line())).unwrap_or_default()
            };
            let mut message: Vec<String> = (0..draw.below(4)).map(|_| line(draw)).collect();
            if message.last().is_some_and(String::is_empty) {
                message.push(String::new());
            }
            Body::RemoteError(RemoteError {
                critical: !ad || draw.chance(70),
                daemon: text(draw.pick(&["starter", "shadow"]).to_owned()),
                execute_host: text(
                    draw.pick(&["slot1@ep.example", "ep.example", "<10.0.0.1:9>"]).to_owned(),
                ),
                message: text(message.join("\n")),
                code,
                subcode: code.map(|_| draw.int()),
                ..RemoteError::default()
            })
        }
        22 => Body::Disconnected(Disconnected {
            reason: text(draw.loose_line()),
            startd_name: Some(text(draw.word())),
            startd_address: Some(text(draw.host())),
            no_reconnect_reason: None,
        }),
        23 => Body::Reconnected(Reconnected {
            startd_name: text(draw.host()),
            startd_address: Some(text(draw.host())),
            starter_address: Some(text(draw.host())),
        }),
        24 => Body::ReconnectFailed(ReconnectFailed {
            reason: text(draw.loose_line()),
            startd_name: Some(text(draw.word().replace(',', ";"))),
        }),
        _ => other(draw, number),
    }
}

fn other(draw: &mut Draw, number: u16) -> Body<'static> {
    let file = |draw: &mut Draw, uuid: bool| ReuseFile {
        bytes: (number != 44).then(|| draw.bytes()),
        checksum: text(draw.word()),
        checksum_type: text(draw.pick(&["sha256", "md5", ""]).to_owned()),
        uuid: uuid.then(|| text(draw.word())),
        tag: (!uuid).then(|| text(draw.line())),
    };
    match number {
        25 => Body::GridResourceUp(GridResource { resource: text(draw.loose_line()) }),
        26 => Body::GridResourceDown(GridResource { resource: text(draw.loose_line()) }),
        27 => Body::GridSubmit(GridSubmit {
            resource: text(draw.loose_line()),
            job_id: text(draw.loose_line()),
        }),
        28 => {
            let mut attributes = attributes(draw, 1);
            attributes.sort();
            Body::JobAdInformation(JobAdInformation { trigger_event: None, attributes })
        }
        29 => Body::JobStatusUnknown,
        30 => Body::JobStatusKnown,
        33 => Body::AttributeUpdate(AttributeUpdate {
            name: text(draw.name()),
            value: text(draw.word()),
            old_value: draw.some(100, |draw| text(draw.word())),
        }),
        34 => Body::PreSkip(PreSkip { notes: text(format!("DAG Node: {}", draw.line())) }),
        35 => {
            let log_notes = notes(draw);
            Body::ClusterSubmit(ClusterSubmit {
                submit_host: text(draw.host()),
                log_notes,
                ..ClusterSubmit::default()
            })
        }
        36 => Body::ClusterRemove(ClusterRemove {
            materialized: Some(draw.int().into()),
            items: Some(draw.int().into()),
            completion: Some(
                draw.pick(&["Complete", "Incomplete", "Paused", "Error -1", "Error -7"]).into(),
            ),
            notes: draw.some(40, |draw| text(draw.line())),
        }),
        37 => {
            let pause_code = draw.some(70, Draw::int).filter(|code| *code != 0);
            let reason = reason(draw).filter(|_| pause_code.is_some() || draw.chance(50));
            // HTCondor's reader takes a lone hold code for the reason.
            let hold_code = draw
                .some(50, Draw::int)
                .filter(|code| *code != 0 && (pause_code.is_some() || reason.is_some()));
            Body::FactoryPaused(FactoryPaused { reason, pause_code, hold_code })
        }
        38 => Body::FactoryResumed(FactoryResumed { reason: reason(draw) }),
        40 => Body::FileTransfer(FileTransfer {
            kind: Some(draw.pick(&FileTransferKind::ALL)),
            host: draw.some(60, |draw| text(draw.host())),
            seconds_in_queue: draw.some(50, |draw| draw.below(1 << 40)),
        }),
        41 => Body::ReserveSpace(ReserveSpace {
            bytes: draw.some(80, |draw| 1 + draw.bytes()),
            expiration: Some(draw.below(1 << 33) as i64),
            uuid: text(draw.word()),
            tag: text(draw.line()),
        }),
        42 => Body::ReleaseSpace(ReleaseSpace { uuid: text(draw.word()) }),
        43 => Body::FileComplete(file(draw, true)),
        44 => Body::FileUsed(file(draw, false)),
        45 => Body::FileRemoved(file(draw, false)),
        46 => Body::DataflowSkipped(DataflowSkipped { reason: reason(draw), toe: None }),
        47 => {
            const STEPS: [&str; 6] = [
                "TransferQueued",
                "TransferStarted",
                "TransferFinished",
                "WaitStarted",
                "WaitFinished",
                "SomethingNew",
            ];
            Body::CommonFiles(CommonFiles { step: draw.pick(&STEPS).into() })
        }
        100..=112 => Body::ExecutionPoint(ExecutionPoint {
            number,
            head: text(draw.loose_line()),
            attributes: attributes(draw, 0),
        }),
        _ => {
            let mut payload = String::new();
            for (name, value) in attributes(draw, 0) {
                payload.push_str(&format!("{name} = {value}\n"));
            }
            Body::Future(Future { number, head: text(draw.loose_line()), payload: payload.into() })
        }
    }
}
