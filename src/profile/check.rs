//! What was said of a script beside what its jobs used.

use schemars::JsonSchema;
use serde::Serialize;

use super::binding::Binding;
use super::measured::Measured;
use super::script::{Likelihood, ScriptProfile};

/// What was said of a script, and what binds the jobs that run it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ScriptCheck {
    /// What was said.
    pub said: Likelihood,
    /// What binds most of the jobs that were measured.
    pub measured: Binding,
}

impl ScriptCheck {
    /// `None`: nothing was said to be likely, or most jobs are bound by nothing. Traffic is not
    /// compared: HTCondor counts its own transfers, which no script does, and not what a program
    /// loads by itself. Nor is disk where no byte of it was counted, as on execution points without
    /// control groups.
    #[must_use]
    pub fn of(profile: &ScriptProfile, measured: &Measured) -> Option<Self> {
        let check = Self { said: profile.named?, measured: measured.binding? };
        let is_traffic = [check.said.binding, check.measured].contains(&Binding::Network);
        let is_counted = measured.shares.disk.is_some_and(|share| share > 0.0);
        let is_blind = check.said.binding == Binding::Disk && !is_counted;
        (!is_traffic && !is_blind).then_some(check)
    }

    /// They are bound by what was said.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.said.binding == self.measured
    }
}

#[cfg(test)]
mod tests {
    use super::super::binding::SlotShares;
    use super::*;

    fn check(said: Binding, probability: f64, measured: Option<Binding>) -> Option<bool> {
        let likely = Likelihood { binding: said, probability };
        let named = (probability >= 0.65).then_some(likely);
        let profile = ScriptProfile { named, likely: vec![likely], evidence: Vec::new() };
        let shares = SlotShares { disk: Some(0.01), ..SlotShares::default() };
        let measured = Measured { binding: measured, shares, ..Measured::default() };
        let blind = Measured { shares: SlotShares::default(), ..measured.clone() };
        assert!(said != Binding::Disk || ScriptCheck::of(&profile, &blind).is_none());
        ScriptCheck::of(&profile, &measured).map(|check| check.is_right())
    }

    #[test]
    fn what_is_likely_is_right_or_wrong() {
        assert_eq!(check(Binding::Cpu, 0.8, Some(Binding::Cpu)), Some(true));
        assert_eq!(check(Binding::Cpu, 0.8, Some(Binding::Memory)), Some(false));
        assert_eq!(check(Binding::Cpu, 0.8, None), None);
        assert_eq!(check(Binding::Cpu, 0.5, Some(Binding::Memory)), None);
        assert_eq!(check(Binding::Disk, 0.8, Some(Binding::Memory)), Some(false));
        assert_eq!(check(Binding::Network, 0.8, Some(Binding::Disk)), None);
        assert_eq!(check(Binding::Disk, 0.8, Some(Binding::Network)), None);
    }
}
