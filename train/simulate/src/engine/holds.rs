//! Holds, releases and removals.

use eventlog::{Aborted, Body, Held, Released};
use holdadvise::hold_code;

use super::{HoldNow, Item, Purpose, Simulation, Status};
use crate::cause::{Cause, Symptom};
use crate::engine::act::Event;
use crate::engine::people;
use crate::error::Result;
use crate::life::Edits;
use crate::oracle::Asked;
use crate::reason::{self, Written};
use crate::truth::{Action, HoldRecord, Outcome, Releaser};

/// `SYSTEM_PERIODIC_RELEASE` of HTCondor's manual (configuration of the schedd), where `delay` is
/// 1,200 s.
fn system_release(delay: i64) -> String {
    format!(
        "(JobRunCount < 20 && (time() - EnteredCurrentStatus) > {delay}) && (HoldReasonCode == 6 && HoldReasonSubCode == 110)"
    )
}

impl Simulation {
    /// Holds a job that does not run.
    pub(crate) fn hold_idle(&mut self, job: usize, cause: Cause, symptom: Symptom) -> Result<()> {
        self.share_chance(Purpose::HoldWords, job, self.jobs[job].num_holds);
        let wording = self.wording();
        let state = &self.jobs[job];
        let cluster = &self.clusters[state.cluster];
        let place = super::place(&self.world, cluster, state, None, wording);
        let written = reason::write(&place, &symptom, &mut self.chances.words);
        self.hold(job, cause, symptom, &written)
    }

    /// Event 012, the record of the truth, and who will care.
    pub(super) fn hold(
        &mut self,
        job: usize,
        cause: Cause,
        symptom: Symptom,
        written: &Written,
    ) -> Result<()> {
        let body = Body::Held(Held {
            reason: Some(written.reason.as_str().into()),
            code: Some(written.code),
            subcode: Some(written.subcode),
        });
        self.event(job, &body)?;
        if cause == Cause::Person {
            self.censor(job);
        } else {
            self.resolve(job, false)?;
        }
        let id = self.job_id(job);
        let record = self.records.len();
        let owner = self.owner_name(self.jobs[job].cluster).to_owned();
        let run = self.run_hours(job);
        let state = &mut self.jobs[job];
        // The schedd does not count spooling (qmgmt.cpp).
        state.num_holds += i64::from(cause != Cause::Spooling);
        state.underway = None;
        state.done_at = None;
        state.status = Status::Held;
        state.generation += 1;
        state.entered = self.now;
        let (code, subcode) = (written.code, written.subcode);
        let hold = HoldNow { cause, symptom, code, subcode, record };
        state.hold = Some(hold);
        self.records.push(HoldRecord {
            cluster: id.cluster,
            proc: id.proc,
            num_holds: state.num_holds,
            time: self.now,
            code,
            subcode,
            cause,
            transient: cause.is_transient(),
            reach: cause.reach(),
            owner,
            site: state.last_site.map(|site| self.world.sites[site].name.clone()),
            released: None,
            released_by: None,
            action: None,
            outcome: None,
            success: None,
            oracle: Vec::new(),
        });
        self.held.insert(job, self.likeness(job, &hold), self.now);
        self.plan_policies(job);
        if matches!(cause, Cause::Person | Cause::Spooling) {
            return Ok(());
        }
        self.note(job, Event::Held { cause, code, subcode, run });
        if self.acting.is_some() {
            self.held_for_policy(job, &written.reason);
        } else {
            people::notice(self, job);
        }
        Ok(())
    }

    /// What HTCondor will do by itself.
    fn plan_policies(&mut self, job: usize) {
        self.share_chance(Purpose::Policies, job, self.jobs[job].num_holds);
        let state = &self.jobs[job];
        let Some(hold) = state.hold else { return };
        if !hold_code::is_by_system(hold.code) {
            return;
        }
        let generation = state.generation;
        // PERIODIC_EXPR_INTERVAL is 60 s, and longer on a busy schedd.
        let lag = self.chances.people.between(5, 120);
        if let Some(policy) = &self.workflow(state.cluster).periodic_release
            && policy.codes.is_none_or(|codes| codes.contains(&hold.code))
            && state.num_shadow_starts < policy.most_starts
        {
            let time = self.now + policy.delay + lag;
            self.queue.push(time, Item::AutoRelease { job, generation, system: false });
        } else if self.world.preset.access_point.system_periodic_release
            && (hold.code, hold.subcode) == (6, 110)
            && state.num_shadow_starts < 20
        {
            let time = self.now + 1_200 + lag;
            self.queue.push(time, Item::AutoRelease { job, generation, system: true });
        }
    }

    pub(super) fn auto_release(&mut self, job: usize, system: bool) -> Result<()> {
        let state = &self.jobs[job];
        let Some(hold) = state.hold else { return Ok(()) };
        let policy = self.workflow(state.cluster).periodic_release;
        let is_memory = hold.code == hold_code::OUT_OF_RESOURCES;
        let grows = !system && policy.is_some_and(|policy| policy.grows_memory) && is_memory;
        let (action, edits) = if grows {
            let more = (state.edits.request_memory * 3 / 2).max(state.memory_usage * 3 / 2);
            (Action::Memory, Edits { request_memory: more, ..state.edits })
        } else {
            (Action::AsIs, state.edits)
        };
        let (by, reason) = if system {
            let expression = system_release(self.world.clock.lasting(1_200));
            let text = format!(
                "The system macro SYSTEM_PERIODIC_RELEASE expression '{expression}' evaluated to TRUE"
            );
            (Releaser::SystemPeriodicRelease, text)
        } else {
            let expression =
                policy.map(|policy| policy.expression(self.world.clock)).unwrap_or_default();
            let text = format!(
                "The job attribute PeriodicRelease expression '{expression}' evaluated to TRUE"
            );
            (Releaser::PeriodicRelease, text)
        };
        self.release(job, action, edits, by, &reason)
    }

    /// `condor_release`, after edits, or a policy's release.
    pub(crate) fn release(
        &mut self,
        job: usize,
        action: Action,
        edits: Edits,
        by: Releaser,
        reason: &str,
    ) -> Result<()> {
        let Some(hold) = self.jobs[job].hold else { return Ok(()) };
        self.ask_while_held(job)?;
        self.ask(job, hold.record, self.now)?;
        let body = Body::Released(Released { reason: Some(reason.into()) });
        self.jobs[job].edits = edits;
        if !matches!(hold.cause, Cause::Person | Cause::Spooling) {
            self.question(Asked::Release, job, hold.record, self.now);
        }
        self.event(job, &body)?;
        if !matches!(hold.cause, Cause::Person | Cause::Spooling) {
            let person = matches!(by, Releaser::Owner | Releaser::Facilitator);
            self.note(job, Event::Released { person });
        }
        let record = &mut self.records[hold.record];
        record.released = Some(self.now);
        record.released_by = Some(by);
        record.action = Some(action);
        self.held.remove(job, &self.likeness(job, &hold));
        let state = &mut self.jobs[job];
        state.hold = None;
        state.last_hold = Some(hold);
        state.open_record = Some(hold.record);
        state.entered = self.now;
        if action == Action::AsIs && by != Releaser::Schedd {
            state.tries += 1;
        }
        self.plan_start(job);
        Ok(())
    }

    /// Spooled files are there: the schedd releases by itself.
    pub(super) fn spooled(&mut self, cluster: usize) -> Result<()> {
        let (first, size) = (self.clusters[cluster].first_job, self.clusters[cluster].size);
        for job in first..first + size {
            if self.jobs[job].hold.is_some_and(|hold| hold.cause == Cause::Spooling) {
                let edits = self.jobs[job].edits;
                self.release(job, Action::AsIs, edits, Releaser::Schedd, "Data files spooled")?;
            }
        }
        Ok(())
    }

    /// `condor_rm`.
    pub(crate) fn remove(&mut self, job: usize, reason: &str) -> Result<()> {
        if matches!(self.jobs[job].status, Status::Completed | Status::Removed) {
            return Ok(());
        }
        self.ask_while_held(job)?;
        self.interrupt(job)?;
        let reason = Some(reason.into());
        self.event(job, &Body::Aborted(Aborted { reason, ..Aborted::default() }))?;
        if let Some(hold) = self.jobs[job].hold {
            self.held.remove(job, &self.likeness(job, &hold));
        }
        self.censor(job);
        self.note(job, Event::Removed { used: self.jobs[job].cpu as f64 / 3_600.0 });
        let state = &mut self.jobs[job];
        state.status = Status::Removed;
        state.hold = None;
        state.generation += 1;
        state.done_at = None;
        Ok(())
    }

    /// The outcome of the last release is known.
    pub(super) fn resolve(&mut self, job: usize, success: bool) -> Result<()> {
        if let Some(record) = self.jobs[job].open_record.take() {
            let outcome = if success { Outcome::Success } else { Outcome::Failure };
            self.records[record].outcome = Some(outcome);
            if let Some(hold) = self.jobs[job].last_hold {
                self.ask_like(job, &hold)?;
            }
        }
        Ok(())
    }

    pub(super) fn censor(&mut self, job: usize) {
        if let Some(record) = self.jobs[job].open_record.take() {
            self.records[record].outcome = Some(Outcome::Censored);
        }
    }
}
