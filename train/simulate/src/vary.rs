//! An access point with other habits and troubles than its preset's: nobody knows how many holds of
//! a code pass by themselves at a real one, so a model had better see many mixtures (domain
//! randomization: Tobin et al. 2017).

use crate::Preset;
use crate::random::{Dice, Spread};

/// Stream of chance: purposes of a simulation have low numbers.
const STREAM: u64 = 0x7661_7279;

/// Stream of chance that the unit of time is drawn from.
const UNIT: u64 = 0x756e_6974;

/// Largest share of clusters with one flaw.
const MOST: f64 = 0.2;

/// Largest share that a layer's becomes.
const MOST_OF_LAYER: f64 = 0.9;

/// Largest share of raises of memory that go by what was used.
const MOST_BY_USE: f64 = 0.35;

/// The same of disk.
const MOST_DISK_BY_USE: f64 = 0.9;

impl Preset {
    /// The shares of its layers.
    fn layer_shares(&mut self) -> Vec<&mut f64> {
        let mut all = Vec::new();
        if let Some(needs) = &mut self.needs {
            all.push(&mut needs.run_time);
        }
        if let Some(single) = &mut self.single {
            all.extend([&mut single.flaws, &mut single.bad_input]);
        }
        if let Some(fixed) = &mut self.fixed {
            all.extend([&mut fixed.share, &mut fixed.folder, &mut fixed.product]);
        }
        all.extend(self.looks.as_mut().map(|looks| &mut looks.slow));
        if let Some(hung) = &mut self.hung {
            all.extend([&mut hung.workflows, &mut hung.limits]);
        }
        all
    }

    /// How seldom the troubles of its layers come.
    fn layer_days(&mut self) -> Vec<&mut f64> {
        let mut all = Vec::new();
        all.extend(self.overload.as_mut().map(|overload| &mut overload.days_between));
        if let Some(quotas) = &mut self.quotas {
            all.extend([&mut quotas.files_days, &mut quotas.project_days]);
        }
        all
    }

    /// Every duration takes so many times as long: those of the preset, those of habits and
    /// policies, the day and the week of people, and what is asked of the oracle.
    #[must_use]
    pub fn in_unit(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// The same with a factor between two, drawn log-uniformly by the seed.
    #[must_use]
    pub fn in_drawn_unit(self, [least, most]: [f64; 2], seed: u64) -> Self {
        self.in_unit(least * (most / least).powf(Dice::new(seed, UNIT).unit()))
    }

    /// Draws a mixture around this preset. How often troubles come and each share of flaws are
    /// multiplied or divided by up to `factor`, each by itself; how soon people look by up to its
    /// root; how often they see through a hold, try again and mend, and how often a facilitator
    /// releases in bulk, is drawn anew. So it is with the troubles and shares of layers, those of
    /// needs by up to the root. The same seed gives the same mixture; a factor of 1 changes
    /// nothing.
    #[must_use]
    pub fn vary(mut self, factor: f64, seed: u64) -> Self {
        if factor <= 1.0 {
            return self;
        }
        self.varied = Some(factor);
        let mut dice = Dice::new(seed, STREAM);
        let mut times = |factor: f64| factor.powf(2.0 * dice.unit() - 1.0);
        for days in [
            &mut self.services.days_between,
            &mut self.filesystems.days_between,
            &mut self.sites.network_days,
            &mut self.sites.software_days,
            &mut self.sites.bad_host_days,
            &mut self.owners.quota_days,
            &mut self.owners.credential_days,
        ] {
            *days *= times(factor);
        }
        for share in self.flaws.shares() {
            *share = (*share * times(factor)).min(MOST);
        }
        let look = self.people.look_hours;
        self.people.look_hours = Spread { median: look.median * times(factor.sqrt()), ..look };
        let mut around = |low: f64, high: f64, by: f64| {
            let middle = low + (high - low) * dice.unit();
            [middle - by, middle + by]
        };
        self.people.skill = around(0.2, 0.8, 0.15);
        self.people.retry = around(0.3, 0.8, 0.15);
        self.people.mend = around(0.2, 0.95, 0.0)[0];
        self.access_point.facilitator = around(0.0, 1.0, 0.0)[0];
        if let Some(needs) = &mut self.needs {
            // Holds for memory and disk are the most frequent already.
            for share in [&mut needs.memory, &mut needs.disk] {
                *share = (*share * factor.powf(dice.unit() - 0.5)).min(MOST_OF_LAYER);
            }
            needs.by_use = MOST_BY_USE * dice.unit();
            needs.disk_by_use = MOST_DISK_BY_USE * dice.unit();
        }
        for days in self.layer_days() {
            *days *= factor.powf(2.0 * dice.unit() - 1.0);
        }
        for share in self.layer_shares() {
            *share = (*share * factor.powf(2.0 * dice.unit() - 1.0)).min(MOST_OF_LAYER);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> Preset {
        Preset::load("rapid").unwrap()
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_something_else() {
        let drawn = |seed| format!("{:?}", preset().vary(6.0, seed));
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(format!("{:?}", preset().vary(1.0, 1)), format!("{:?}", preset()));
    }

    #[test]
    fn units_are_drawn_log_uniformly() {
        let mut units: Vec<f64> =
            (0..200).map(|seed| preset().in_drawn_unit([0.01, 1.0], seed).unit).collect();
        units.sort_by(f64::total_cmp);
        assert!(units[0] >= 0.01 && units[199] <= 1.0);
        assert!((0.06..0.17).contains(&units[100]), "{}", units[100]);
    }

    #[test]
    fn draws_stay_within_the_factor_and_reach_far_into_it() {
        let before = preset();
        let of = |seed: u64| {
            let after = preset().vary(6.0, seed);
            assert!((0.05..=0.65).contains(&after.people.skill[0]), "{:?}", after.people.skill);
            assert!(after.people.skill[1] <= 0.95 && after.people.retry[1] <= 0.95);
            after.services.days_between / before.services.days_between
        };
        let times: Vec<f64> = (0..200).map(of).collect();
        assert!(times.iter().all(|times| (1.0 / 6.0..=6.0).contains(times)));
        assert!(times.iter().any(|times| *times < 0.25) && times.iter().any(|times| *times > 4.0));
        let mut most = preset();
        most.flaws.shares().into_iter().for_each(|share| *share = 0.1);
        let mut after = most.vary(6.0, 1);
        assert!(after.flaws.shares().iter().all(|share| **share <= MOST && **share > 0.0));
    }
}
