//! Texts as older versions of HTCondor wrote them, from the header line's date on.

use crate::draw::Draw;

/// Kinds that some version wrote in another way, and HTCondor reads.
pub(crate) const KINDS: [u16; 17] = [0, 1, 3, 4, 5, 6, 7, 9, 12, 15, 17, 18, 19, 20, 21, 36, 46];

/// Kinds that some version wrote so that HTCondor 25 does not read them.
pub(crate) const UNREADABLE: [u16; 2] = [22, 35];

fn usage(draw: &mut Draw) -> String {
    let mut time = || {
        format!(
            "{} {:02}:{:02}:{:02}",
            draw.below(30),
            draw.below(24),
            draw.below(60),
            draw.below(60)
        )
    };
    format!("Usr {}, Sys {}", time(), time())
}

/// The ticket of execution of versions 8.9 to 24.
fn toe(draw: &mut Draw) -> &'static str {
    draw.pick(&[
        "\n\tJob terminated of its own accord at 2022-07-27T19:55:22Z.\n",
        "\n\tJob terminated of its own accord at 2022-07-27T19:55:22Z with exit-code 0.\n",
        "\n\tJob terminated of its own accord at 2022-07-27T19:55:22Z with signal 9.\n",
        "\n\tJob terminated by itself at 2022-07-27T19:55:22Z (using method 0: OF_ITS_OWN_ACCORD).\n",
        "\n\tJob terminated by the starter at 2022-07-27T19:55:22Z (using method 1: DEACTIVATE_CLAIM).\n",
        "\n\tJob terminated by PREEMPTED at 2022-07-27T19:55:22Z (using method 2: DEACTIVATE_CLAIM_FORCIBLY).\n",
        "",
    ])
}

/// A table of versions before 8.8: no column of what was assigned, all digits, no blank at the end
/// of a line.
fn table(draw: &mut Draw) -> String {
    if draw.chance(20) {
        return String::new();
    }
    let mut out = "\tPartitionable Resources :    Usage  Request Allocated\n".to_owned();
    for label in ["Cpus", "Disk (KB)", "Gpus", "Memory (MB)"] {
        let usage = match draw.below(4) {
            0 => String::new(),
            1 => draw.pick(&["0.53", "1.25", "0.5", "1.0", "2.125", "-1"]).to_owned(),
            _ => draw.below(100_000).to_string(),
        };
        let (request, allocated) = (draw.below(100_000), draw.below(100_000_000));
        out.push_str(&format!("\t   {label:<20} : {usage:>8} {request:>8} {allocated:>9}\n"));
    }
    out
}

fn ending(draw: &mut Draw) -> String {
    match draw.below(3) {
        0 => format!("\t(1) Normal termination (return value {})\n", draw.int()),
        1 => {
            format!("\t(0) Abnormal termination (signal {})\n\t(0) No core file\n", draw.natural())
        }
        _ => format!(
            "\t(0) Abnormal termination (signal {})\n\t(1) Corefile in: {}\n",
            draw.natural(),
            draw.line()
        ),
    }
}

fn run_usage(draw: &mut Draw) -> String {
    format!("\t\t{}  -  Run Remote Usage\n\t\t{}  -  Run Local Usage\n", usage(draw), usage(draw))
}

fn terminated(draw: &mut Draw, who: &str) -> String {
    let mut out = ending(draw) + &run_usage(draw);
    out += &format!(
        "\t\t{}  -  Total Remote Usage\n\t\t{}  -  Total Local Usage\n",
        usage(draw),
        usage(draw)
    );
    for label in
        ["Run Bytes Sent", "Run Bytes Received", "Total Bytes Sent", "Total Bytes Received"]
    {
        out += &format!("\t{}  -  {label} By {who}\n", draw.float_bytes());
    }
    out + &table(draw)
}

/// An event of this kind.
pub(crate) fn text(draw: &mut Draw, number: u16) -> String {
    match number {
        0 => {
            let mut out = format!("Job submitted from host: {}\n", draw.host());
            let lines = draw.below(3);
            if lines > 0 {
                out += draw.pick(&[
                    "    notes\n",
                    "    DAG Node: A.1\n",
                    "    a = b\n",
                    "    éè [x]\n",
                ]);
            }
            if lines > 1 {
                out += draw.pick(&[
                    "    user notes\n",
                    "    WARNING: Committed something\n",
                    "    x \n",
                ]);
            }
            out
        }
        1 => format!("Job executing on host: {}\n", draw.host()),
        3 => format!(
            "Job was checkpointed.\n\t{}  -  Run Remote Usage\n\t{}  -  Run Local Usage\n",
            usage(draw),
            usage(draw)
        ),
        4 => {
            let checkpointed =
                draw.pick(&["(0) Job was not checkpointed.", "(1) Job was checkpointed."]);
            let reason =
                draw.some(60, |draw| format!("\t{}\n", draw.loose_line())).unwrap_or_default();
            let (sent, received, run) = (draw.bytes(), draw.bytes(), run_usage(draw));
            let table = table(draw);
            format!(
                "Job was evicted.\n\t{checkpointed}\n{run}\t{sent}  -  Run Bytes Sent By Job\n\t{received}  -  Run Bytes Received By Job\n{reason}{table}"
            )
        }
        5 => format!("Job terminated.\n{}{}", terminated(draw, "Job"), toe(draw)),
        6 => format!("Image size of job updated: {}\n", draw.natural()),
        7 => format!("Shadow exception!\n\t{}\n", draw.line()),
        9 => {
            let by = draw.pick(&["", " by the user"]);
            let reason =
                draw.some(70, |draw| format!("\t{}\n", draw.loose_line())).unwrap_or_default();
            format!("Job was aborted{by}.\n{reason}{}", toe(draw))
        }
        12 => format!("Job was held.\n\t{}\n", draw.loose_line()),
        15 => format!("Node {} terminated.\n{}", draw.natural(), terminated(draw, "Node")),
        17 => format!(
            "Job submitted to Globus\n    RM-Contact: {}\n    JM-Contact: {}\n    Can-Restart-JM: {}\n",
            draw.word().replace('=', "-"),
            draw.word().replace('=', "-"),
            draw.pick(&[0, 1])
        ),
        18 => format!(
            "Globus job submission failed!\n    Reason: {}\n",
            draw.word().replace('=', "-")
        ),
        19 => {
            format!("Globus Resource Back Up\n    RM-Contact: {}\n", draw.word().replace('=', "-"))
        }
        20 => format!(
            "Detected Down Globus Resource\n    RM-Contact: {}\n",
            draw.word().replace('=', "-")
        ),
        21 => {
            let code = draw.pick(&["", "\tCode 12 Subcode 28\n", "\tCode 6 Subcode 0\n"]);
            format!("Warning from starter on slot1@ep.example:\n\tm {}\n{code}", draw.loose_line())
        }
        22 => format!(
            "Job disconnected, can not reconnect\n    {}\n    Can not reconnect to slot1@ep.example <10.0.0.1:1>\n    {}\n    Rescheduling job\n",
            draw.line(),
            draw.line()
        ),
        35 => format!("Factory submitted from host: {}\n", draw.host()),
        36 => format!(
            "Cluster removed\n\tMaterialized {} jobs from {} items.\tComplete\n",
            draw.int(),
            draw.int()
        ),
        46 => format!("Dataflow job was skipped.\n\t{}\n{}", draw.line(), toe(draw)),
        other => unreachable!("{other}"),
    }
}
