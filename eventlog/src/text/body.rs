//! Title and lines of an event to its typed fields.
//!
//! As forgiving as HTCondor's own reader: a line that is not there leaves its field empty.

mod attributes;
mod other;
mod run;
mod table;

use super::super::body::*;
use super::lines::{Lines, after, codes, indented, text, trimmed, unless_blank};
use attributes::attributes;
pub(crate) use attributes::each as each_information;
pub(crate) use other::information;

/// The typed fields of event `number`.
pub(crate) fn parse<'a>(number: u16, title: &'a [u8], payload: &'a [u8]) -> Body<'a> {
    let lines = Lines::new(payload);
    match number {
        0 => Body::Submit(submit(title, lines)),
        1 => Body::Execute(run::execute(title, payload)),
        2 => Body::ExecutableError(run::executable_error(title)),
        3 => Body::Checkpointed(run::checkpointed(lines)),
        4 => Body::Evicted(run::evicted(title, lines)),
        5 => Body::Terminated(run::terminated(lines)),
        6 => Body::ImageSize(run::image_size(title, lines)),
        7 => Body::ShadowException(run::shadow_exception(lines)),
        8 => Body::Generic(text(title)),
        9 => Body::Aborted(aborted(title, lines)),
        10 => Body::Suspended(run::suspended(lines)),
        11 => Body::Unsuspended,
        12 => Body::Held(held(lines)),
        13 => Body::Released(Released { reason: reason(lines) }),
        14 => Body::NodeExecute(run::node_execute(title, payload)),
        15 => Body::NodeTerminated(NodeTerminated {
            node: run::node(title),
            terminated: run::terminated(lines),
        }),
        16 => Body::PostScriptTerminated(post_script_terminated(lines)),
        21 => Body::RemoteError(run::remote_error(title, lines)),
        22 => Body::Disconnected(run::disconnected(lines)),
        23 => Body::Reconnected(run::reconnected(title, lines)),
        24 => Body::ReconnectFailed(run::reconnect_failed(lines)),
        25 => Body::GridResourceUp(other::grid_resource(lines)),
        26 => Body::GridResourceDown(other::grid_resource(lines)),
        27 => Body::GridSubmit(other::grid_submit(lines)),
        28 => Body::JobAdInformation(other::job_ad_information(payload)),
        29 => Body::JobStatusUnknown,
        30 => Body::JobStatusKnown,
        33 => Body::AttributeUpdate(other::attribute_update(title)),
        34 => Body::PreSkip(PreSkip { notes: notes_line(lines) }),
        35 => Body::ClusterSubmit(cluster_submit(title, lines)),
        36 => Body::ClusterRemove(other::cluster_remove(lines)),
        37 => Body::FactoryPaused(other::factory_paused(lines)),
        38 => Body::FactoryResumed(FactoryResumed { reason: reason(lines) }),
        40 => Body::FileTransfer(other::file_transfer(title, lines)),
        41 => Body::ReserveSpace(other::reserve_space(title, lines)),
        42 => Body::ReleaseSpace(other::release_space(title, lines)),
        43 => Body::FileComplete(other::reuse_file(title, lines)),
        44 => Body::FileUsed(other::reuse_file(title, lines)),
        45 => Body::FileRemoved(other::reuse_file(title, lines)),
        46 => {
            let toe = toe(lines.clone());
            Body::DataflowSkipped(DataflowSkipped { reason: reason(lines), toe })
        }
        47 => Body::CommonFiles(other::common_files(title)),
        100..=112 => Body::ExecutionPoint(ExecutionPoint {
            number,
            head: text(title),
            attributes: attributes(payload, |_| false),
        }),
        _ => Body::Future(Future { number, head: text(title), payload: text(payload) }),
    }
}

/// The first line, a reason.
fn reason(mut lines: Lines<'_>) -> Option<Text<'_>> {
    indented(lines.next()?)
}

/// The first line, indented by four blanks.
fn notes_line(mut lines: Lines<'_>) -> Text<'_> {
    let line = lines.next().unwrap_or_default();
    text(line.strip_prefix(b"    ").unwrap_or(line.trim_ascii_start()))
}

/// The line of the ticket of execution, which stands behind an empty line.
fn toe(lines: Lines<'_>) -> Option<Toe<'_>> {
    lines.skip_while(|line| !line.is_empty()).find_map(toe_line)
}

/// A line of the ticket of execution.
fn toe_line(line: &[u8]) -> Option<Toe<'_>> {
    let line = line.strip_prefix(b"\t")?;
    line.starts_with(b"Job terminated ").then(|| Toe { text: text(line) })
}

fn submit<'a>(title: &'a [u8], lines: Lines<'a>) -> Submit<'a> {
    let notes = notes(lines);
    Submit {
        submit_host: after(title, b"Job submitted from host: ").unwrap_or_default(),
        log_notes: notes.log,
        user_notes: notes.user,
        warnings: notes.warnings,
        dag_node: notes.dag_node,
    }
}

fn cluster_submit<'a>(title: &'a [u8], lines: Lines<'a>) -> ClusterSubmit<'a> {
    let notes = notes(lines);
    let factory = after(title, b"Factory submitted from host: ");
    ClusterSubmit {
        says_factory: factory.is_some(),
        submit_host: factory
            .or_else(|| after(title, b"Cluster submitted from host: "))
            .unwrap_or_default(),
        log_notes: notes.log,
        user_notes: notes.user,
        dag_node: notes.dag_node,
    }
}

#[derive(Default)]
struct Notes<'a> {
    log: Option<Text<'a>>,
    user: Option<Text<'a>>,
    warnings: Option<Text<'a>>,
    dag_node: Option<Text<'a>>,
}

/// The lines below a submission.
fn notes(lines: Lines<'_>) -> Notes<'_> {
    let mut notes = Notes::default();
    let mut structured = false;
    for (index, line) in lines.enumerate() {
        let written = line.strip_prefix(b"    ").unwrap_or(line.trim_ascii_start());
        let line = line.trim_ascii();
        if let Some(node) = line.strip_prefix(b"DAG Node: ") {
            notes.log = Some(text(written));
            notes.dag_node = trimmed(node);
            structured = true;
        } else if line.starts_with(b"[") && !structured {
            notes.log = Some(text(written));
            notes.dag_node = structured_node(line);
            structured = true;
        } else if line.starts_with(b"WARNING: ") {
            notes.warnings = Some(text(written));
        } else if index == 0 {
            notes.log = unless_blank(written);
        } else if index == 1 {
            notes.user = unless_blank(written);
        }
    }
    notes
}

/// `DAGNodeName` of `[ DAGNodeName = "..."; ... ]`.
fn structured_node(notes: &[u8]) -> Option<Text<'_>> {
    let at = memchr::memmem::find(notes, b"DAGNodeName = \"")?;
    let value = &notes[at + 15..];
    let mut end = 0;
    // DAGMan allows neither quotes nor backslashes in names of nodes; a backslash hides a quote all
    // the same.
    loop {
        match value.get(end)? {
            b'\\' => end += 2,
            b'"' => return trimmed(&value[..end]),
            _ => end += 1,
        }
    }
}

fn aborted<'a>(title: &'a [u8], lines: Lines<'a>) -> Aborted<'a> {
    Aborted {
        by_the_user: title.starts_with(b"Job was aborted by the user"),
        toe: toe(lines.clone()),
        reason: reason(lines),
    }
}

fn held(mut lines: Lines<'_>) -> Held<'_> {
    let mut held = Held::default();
    let Some(line) = lines.next() else { return held };
    if line.trim_ascii() != b"Reason unspecified" {
        held.reason = indented(line);
    }
    let Some(second) = lines.next() else { return held };
    let mut found = codes(second);
    if found.is_none() {
        // Old versions wrote newlines of the reason as they are: the codes stand behind all of it.
        let rest: Vec<&[u8]> = std::iter::once(second).chain(lines).collect();
        if let Some((at, last)) =
            rest.iter().enumerate().rev().find_map(|(at, line)| Some((at, codes(line)?)))
        {
            found = Some(last);
            let more = rest[..at].iter().filter_map(|line| trimmed(line));
            let parts: Vec<Text<'_>> = held.reason.take().into_iter().chain(more).collect();
            held.reason = (!parts.is_empty()).then(|| parts.join("|").into());
        }
    }
    (held.code, held.subcode) = (found.map(|codes| codes.0), found.map(|codes| codes.1));
    held
}

fn post_script_terminated(lines: Lines<'_>) -> PostScriptTerminated<'_> {
    let mut script = PostScriptTerminated::default();
    for line in lines {
        match run::end(line) {
            Some(run::End::Return(value)) => script.return_value = value,
            Some(run::End::Signal(signal)) => script.signal = signal,
            Some(run::End::Core(_)) => {}
            None => {
                if let Some(node) = line.trim_ascii_start().strip_prefix(b"DAG Node: ") {
                    script.dag_node = unless_blank(node);
                }
            }
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_script_ends_behind_any_white_space() {
        for before in ["\t", "  ", "", "\x0b"] {
            let lines =
                format!("{before}(1)  Normal termination (return value 2)\n    DAG Node: A\n");
            let Body::PostScriptTerminated(script) = parse(16, b"", lines.as_bytes()) else {
                panic!()
            };
            assert_eq!((script.return_value, script.dag_node.as_deref()), (Some(2), Some("A")));
        }
    }

    #[test]
    fn a_reason_of_several_lines_keeps_its_codes() {
        let of = |lines: &'static str| {
            let Body::Held(held) = parse(12, b"Job was held.", lines.as_bytes()) else { panic!() };
            (held.reason, held.code, held.subcode)
        };
        let several = |reason: &'static str| (Some(reason.into()), Some(13), Some(2));
        for (lines, expected) in [
            ("\tone\n\ttwo\n\n\tCode 13 Subcode 2\n", several("one|two")),
            ("\tone\nCode 1 is bad\n\tCode 13 Subcode 2\n", several("one|Code 1 is bad")),
            ("\n\ttwo\n\tCode 13 Subcode 2\n", several("two")),
            // Of several lines of codes behind the reason the last one is HTCondor's.
            (
                "\tone\ntwo\n\tCode 1 Subcode 0\n\tCode 13 Subcode 2\n",
                several("one|two|Code 1 Subcode 0"),
            ),
            // The second line is read as HTCondor does.
            ("\tone\n\tCode 13 Subcode 2\n\tCode 1 Subcode 0\n", several("one")),
            ("\tone\n\ttwo\n", (Some("one".into()), None, None)),
        ] {
            assert_eq!(of(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_slot_may_be_named_on_any_line() {
        let lines = b"\tCpus = 1\n\tSlotName: \"a=b\"\n\tDisk = 2\n";
        let Body::Execute(execute) = parse(1, b"Job executing on host: <x>", lines) else {
            panic!()
        };
        assert_eq!(execute.slot_name.as_deref(), Some("a=b"));
        assert_eq!(execute.properties, [("Cpus".into(), "1".into()), ("Disk".into(), "2".into())]);
    }
}
