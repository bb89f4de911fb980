//! Parameters of a simulation.
//!
//! Each lies in a file of `presets/`, with its source or the word "assumed" behind it.

use std::path::Path;

use serde::Deserialize;

use crate::SimulateError;
use crate::random::Spread;

const BUILT_IN: [(&str, &str); 5] = [
    ("small", include_str!("../presets/small.toml")),
    ("quick", include_str!("../presets/quick.toml")),
    ("rapid", include_str!("../presets/rapid.toml")),
    ("ospool", include_str!("../presets/ospool.toml")),
    ("cms", include_str!("../presets/cms.toml")),
];

/// The parameters of a simulated access point. See `presets/small.toml` for what each means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// As it was asked for.
    #[serde(skip)]
    pub(crate) name: String,
    /// The factor of [`Preset::vary`].
    #[serde(skip)]
    pub(crate) varied: Option<f64>,
    pub(crate) access_point: AccessPointParameters,
    pub(crate) jobs: JobParameters,
    pub(crate) owners: OwnerParameters,
    pub(crate) people: PeopleParameters,
    pub(crate) sites: SiteParameters,
    pub(crate) services: ServiceParameters,
    pub(crate) filesystems: FilesystemParameters,
    pub(crate) usage: UsageParameters,
    pub(crate) flaws: FlawParameters,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccessPointParameters {
    pub(crate) host: String,
    pub(crate) domain: String,
    pub(crate) start: jiff::civil::Date,
    pub(crate) system_periodic_release: bool,
    pub(crate) facilitator: f64,
    pub(crate) facilitator_hours: Spread,
    pub(crate) facilitator_too_early: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobParameters {
    pub(crate) per_day: f64,
    pub(crate) cluster_size: Spread,
    pub(crate) largest_cluster: usize,
    pub(crate) minutes_to_match: Spread,
    pub(crate) run_minutes: Spread,
    pub(crate) run_minutes_between_jobs: f64,
    pub(crate) run_minutes_between_runs: f64,
    pub(crate) transfer_seconds: Spread,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnerParameters {
    pub(crate) count: usize,
    pub(crate) workflows: usize,
    pub(crate) quota_days: f64,
    pub(crate) quota_hours: Spread,
    pub(crate) credential_days: f64,
    pub(crate) credential_hours: Spread,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeopleParameters {
    pub(crate) look_hours: Spread,
    pub(crate) skill: [f64; 2],
    pub(crate) retry: [f64; 2],
    pub(crate) remove: [f64; 2],
    pub(crate) mend: f64,
    pub(crate) give_up: f64,
    pub(crate) periodic_release: f64,
    pub(crate) hold_own: f64,
    pub(crate) submit_held: f64,
    pub(crate) spool: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteParameters {
    pub(crate) count: usize,
    pub(crate) hosts: Spread,
    pub(crate) slots_per_host: usize,
    pub(crate) speed_sigma: f64,
    pub(crate) preemptions_per_hour: f64,
    pub(crate) shadow_exception: f64,
    pub(crate) disconnect: f64,
    pub(crate) network_days: f64,
    pub(crate) network_hours: Spread,
    pub(crate) software_days: f64,
    pub(crate) software_hours: Spread,
    pub(crate) firewall: f64,
    pub(crate) bad_host_days: f64,
    pub(crate) bad_host_hours: Spread,
    pub(crate) lacks_software: f64,
    pub(crate) grows: f64,
    pub(crate) spreads: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceParameters {
    pub(crate) count: usize,
    pub(crate) days_between: f64,
    pub(crate) hours: Spread,
    pub(crate) partial: f64,
    pub(crate) background: f64,
    pub(crate) grows: f64,
    pub(crate) spreads: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilesystemParameters {
    pub(crate) count: usize,
    pub(crate) days_between: f64,
    pub(crate) hours: Spread,
    pub(crate) grows: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageParameters {
    pub(crate) memory_request_mb: Vec<i64>,
    pub(crate) memory_of_request: Spread,
    pub(crate) memory_between_jobs: f64,
    pub(crate) memory_between_runs: [f64; 2],
    pub(crate) disk_request_mb: Vec<i64>,
    pub(crate) disk_of_request: Spread,
    pub(crate) disk_between_jobs: f64,
    pub(crate) disk_between_runs: [f64; 2],
    pub(crate) execute_limit_hours: Vec<f64>,
    pub(crate) execute_limit: f64,
}

/// The flaws, all of them shares.
macro_rules! flaw_parameters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct FlawParameters {
            $($(#[$doc])* pub(crate) $name: f64,)*
        }

        impl FlawParameters {
            /// Each share.
            pub(crate) fn shares(&mut self) -> [&mut f64; 19] {
                [$(&mut self.$name),*]
            }
        }
    };
}

flaw_parameters! {
    wrong_path,
    deleted_input,
    unreadable_input,
    wrong_url,
    wrong_server,
    forbidden_url,
    not_yet_produced,
    bad_interpreter,
    wrong_format,
    not_executable,
    missing_folder,
    missing_stdout_folder,
    bad_image,
    too_large_input,
    too_large_output,
    no_credential,
    cpu_overuse,
    bug,
    flaky,
}

impl Preset {
    /// A built-in preset by its name, or the one in a file whose name ends in `.toml`.
    ///
    /// # Errors
    /// No such preset or file, or its content is not a preset.
    pub fn load(name: &str) -> Result<Self, SimulateError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
            let known: Vec<&str> = Self::names().collect();
            let known = known.join(", ");
            return Err(SimulateError::Preset(format!(
                "no preset {name:?}: expected one of {known}, or the path of a preset file (.toml)"
            )));
        }
        let text = std::fs::read_to_string(name)
            .map_err(|error| SimulateError::Preset(format!("preset file {name}: {error}")))?;
        Self::parse(name, &text)
    }

    /// The names of the built-in presets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    fn parse(name: &str, text: &str) -> Result<Self, SimulateError> {
        let bad = |message| SimulateError::Preset(format!("preset {name}: {message}"));
        let mut preset: Self = toml::from_str(text).map_err(|error| bad(error.to_string()))?;
        preset.check().map_err(bad)?;
        preset.name = name.to_owned();
        Ok(preset)
    }

    fn check(&self) -> Result<(), String> {
        let counts = [
            ("owners.count", self.owners.count, 1, 10_000),
            ("owners.workflows", self.owners.workflows, 1, 100),
            ("sites.count", self.sites.count, 1, 64),
            ("sites.slots_per_host", self.sites.slots_per_host, 1, 1_024),
            ("services.count", self.services.count, 1, 60),
            ("filesystems.count", self.filesystems.count, 1, 60),
            ("jobs.largest_cluster", self.jobs.largest_cluster, 1, 100_000),
            ("usage.memory_request_mb", self.usage.memory_request_mb.len(), 1, 1_000),
            ("usage.disk_request_mb", self.usage.disk_request_mb.len(), 1, 1_000),
            ("usage.execute_limit_hours", self.usage.execute_limit_hours.len(), 1, 1_000),
        ];
        for (name, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                return Err(format!("{name} is {value}, expected {least} to {most}"));
            }
        }
        if !(self.jobs.per_day > 0.0 && self.jobs.per_day < 1e7) {
            return Err(format!(
                "jobs.per_day is {}, expected more than 0 and less than 10 million",
                self.jobs.per_day
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_presets_load() {
        for name in Preset::names() {
            let preset = Preset::load(name).unwrap();
            assert!(preset.sites.count > 0, "{name}");
        }
    }

    #[test]
    fn every_number_of_a_preset_has_its_source() {
        for (name, text) in BUILT_IN {
            let mut section_assumed = false;
            for line in text.lines().map(str::trim) {
                if line.starts_with('[') {
                    section_assumed = line.contains("assumed");
                } else if line.contains(" = ") && !line.starts_with('#') {
                    assert!(section_assumed || line.contains('#'), "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn unknown_presets_are_told_of() {
        let message = Preset::load("tiny").unwrap_err().to_string();
        assert!(message.contains("small, quick, rapid, ospool, cms"), "{message}");
        let message = Preset::load("/nonexistent/x.toml").unwrap_err().to_string();
        assert!(message.contains("/nonexistent/x.toml"), "{message}");
        let text = BUILT_IN[0].1.replace("count = 4 ", "count = 400 ");
        let message = Preset::parse("x", &text).unwrap_err().to_string();
        assert!(message.contains("sites.count is 400, expected 1 to 64"), "{message}");
    }
}
