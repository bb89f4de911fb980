//! Events of a cluster and its job factory, and of grid jobs.

use std::borrow::Cow;
use std::io::{self, Write};

use bounded_static::ToStatic;

use super::super::EventKind;
use super::super::ad::{AdForm, Tidy};
use super::super::text::lines::{Cursor, Lines, after, indented, unless_blank};
use super::super::text::{labelled, notes, reason};
use super::super::write::{self, Longest, OneLine};
use super::{Fields, Text};

/// 035: a cluster (job factory) was submitted.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ClusterSubmit<'a> {
    /// Address of the schedd.
    pub submit_host: Text<'a>,
    /// The first line reads `Factory submitted`, as HTCondor 8.7 to 8.9.3 wrote it.
    pub says_factory: bool,
    /// The first line of notes as written.
    pub log_notes: Option<Text<'a>>,
    /// The second line of notes.
    pub user_notes: Option<Text<'a>>,
    /// The DAG node, from `DAG Node: NAME` or the attribute `DAGNodeName` of the notes.
    pub dag_node: Option<Text<'a>>,
}

/// 036: the cluster is gone.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ClusterRemove<'a> {
    /// Jobs materialized.
    pub materialized: Option<i64>,
    /// Items of the queue statement used.
    pub items: Option<i64>,
    /// `Complete`, `Incomplete`, `Paused` or `Error N`.
    pub completion: Option<Text<'a>>,
    /// Notes.
    pub notes: Option<Text<'a>>,
}

/// 037: the job factory stopped making jobs.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct FactoryPaused<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
    /// `PauseCode`.
    pub pause_code: Option<i32>,
    /// `HoldCode`.
    pub hold_code: Option<i32>,
}

/// 038: the job factory makes jobs again.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct FactoryResumed<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
}

/// 025 and 026: a grid resource is up again or down.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct GridResource<'a> {
    /// `GridResource`.
    pub resource: Text<'a>,
}

/// 027: the job was submitted to a grid resource.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct GridSubmit<'a> {
    /// `GridResource`.
    pub resource: Text<'a>,
    /// `GridJobId`.
    pub job_id: Text<'a>,
}

impl<'a> Fields<'a> for ClusterSubmit<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let notes = notes(Lines::new(lines));
        let factory = after(title, b"Factory submitted from host: ");
        Self {
            says_factory: factory.is_some(),
            submit_host: factory
                .or_else(|| after(title, b"Cluster submitted from host: "))
                .unwrap_or_default(),
            log_notes: notes.log,
            user_notes: notes.user,
            dag_node: notes.dag_node,
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let what = if self.says_factory { "Factory" } else { "Cluster" };
        writeln!(out, "{what} submitted from host: {}", OneLine(&self.submit_host))?;
        write::notes(out, &self.log_notes, &self.dag_node, &[&self.user_notes])
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("SubmitHost", &mut self.submit_host, Tidy::AsIs);
        // HTCondor makes no attributes of the notes as text.
        form.notes(&mut self.log_notes, &mut self.dag_node, false);
        if form.reads() {
            form.some("UserNotes", &mut self.user_notes, Tidy::AsIs);
        }
    }
}

impl<'a> Fields<'a> for ClusterRemove<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut lines = Lines::new(lines);
        let mut remove = Self::default();
        let Some(line) = lines.next() else { return remove };
        let mut cursor = Cursor(line);
        if cursor.token(b"Materialized").is_some() {
            remove.materialized = cursor.signed();
            remove.items = cursor.token(b"jobs from").and_then(|()| cursor.signed());
            if cursor.token(b"items.").is_none() {
                return remove;
            }
        }
        remove.completion = unless_blank(cursor.0.trim_ascii());
        remove.notes = lines.next().and_then(indented);
        remove
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Cluster removed")?;
        let (materialized, items) = (self.materialized.unwrap_or(0), self.items.unwrap_or(0));
        let completion = OneLine(self.completion.as_deref().unwrap_or("Incomplete"));
        writeln!(out, "\tMaterialized {materialized} jobs from {items} items.\t{completion}")?;
        write::reason(out, &self.notes)
    }

    /// Completion is a `ClusterRemoveEvent::CompletionCode` of `condor_event.h`.
    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Notes", &mut self.notes, Tidy::Begin);
        form.number("NextProcId", &mut self.materialized, Some(0));
        form.number("NextRow", &mut self.items, Some(0));
        if form.reads() {
            self.completion = Some(match form.integer("Completion").unwrap_or(0) {
                0 => Cow::Borrowed("Incomplete"),
                1 => Cow::Borrowed("Complete"),
                2.. => Cow::Borrowed("Paused"),
                code => Cow::Owned(format!("Error {code}")),
            });
            return;
        }
        let code = match self.completion.as_deref().unwrap_or_default() {
            "Complete" => 1,
            "Paused" => 2,
            text => match text.strip_prefix("Error") {
                Some(code) => code.trim().parse().ok().filter(|code| *code < 0).unwrap_or(-1),
                None => 0,
            },
        };
        form.put("Completion", code);
    }
}

impl<'a> Fields<'a> for FactoryPaused<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut paused = Self::default();
        for (index, line) in Lines::new(lines).enumerate() {
            if index == 0 && !line.starts_with(b"\tHoldCode ") {
                paused.reason = indented(line);
                continue;
            }
            let mut cursor = Cursor(line);
            if cursor.token(b"PauseCode").is_some() {
                paused.pause_code = cursor.int();
            }
            if cursor.token(b"HoldCode").is_some() {
                paused.hold_code = cursor.int();
            }
        }
        paused
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job Materialization Paused")?;
        let codes = [("PauseCode", self.pause_code), ("HoldCode", self.hold_code)];
        let codes = codes.map(|(label, code)| (label, code.filter(|code| *code != 0)));
        // HTCondor's reader takes the first line for the reason where there is a pause code.
        match &self.reason {
            None if codes[0].1.is_some() => writeln!(out, "\t")?,
            _ => write::reason(out, &self.reason)?,
        }
        for (label, code) in codes {
            if let Some(code) = code {
                writeln!(out, "\t{label} {code}")?;
            }
        }
        Ok(())
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Reason", &mut self.reason, Tidy::Begin);
        form.number("PauseCode", &mut self.pause_code, Some(0));
        form.number("HoldCode", &mut self.hold_code, Some(0));
        if form.reads() {
            self.pause_code = self.pause_code.filter(|code| *code != 0);
            self.hold_code = self.hold_code.filter(|code| *code != 0);
        }
    }
}

impl<'a> Fields<'a> for FactoryResumed<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        Self { reason: reason(lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job Materialization Resumed")?;
        write::reason(out, &self.reason)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Reason", &mut self.reason, Tidy::Begin);
    }
}

impl<'a> Fields<'a> for GridResource<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        Self { resource: labelled(Lines::new(lines), b"GridResource: ").unwrap_or_default() }
    }

    fn write(&self, kind: EventKind, out: &mut impl Write) -> io::Result<()> {
        let title = match kind {
            EventKind::GridResourceUp => "Grid Resource Back Up",
            _ => "Detected Down Grid Resource",
        };
        writeln!(out, "{title}\n    GridResource: {}", known(&self.resource))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("GridResource", &mut self.resource, Tidy::AsIs);
    }
}

impl<'a> Fields<'a> for GridSubmit<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let lines = Lines::new(lines);
        Self {
            resource: labelled(lines.clone(), b"GridResource: ").unwrap_or_default(),
            job_id: labelled(lines, b"GridJobId: ").unwrap_or_default(),
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job submitted to grid resource")?;
        writeln!(out, "    GridResource: {}", known(&self.resource))?;
        writeln!(out, "    GridJobId: {}", known(&self.job_id))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("GridResource", &mut self.resource, Tidy::AsIs);
        form.text("GridJobId", &mut self.job_id, Tidy::AsIs);
    }
}

/// What HTCondor writes for an empty name.
fn known<'a>(text: &'a Text<'_>) -> Longest<'a> {
    Longest(if text.is_empty() { "UNKNOWN" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factory_paused_by_a_hold() {
        let paused = FactoryPaused::read(b"", b"\tItem data\n\tPauseCode 1\n\tHoldCode 26\n");
        assert_eq!(paused.reason.as_deref(), Some("Item data"));
        assert_eq!((paused.pause_code, paused.hold_code), (Some(1), Some(26)));
    }
}
