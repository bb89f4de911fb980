//! Parameters of a simulation.
//!
//! Each lies in a file of `presets/`, with its source or the word "assumed" behind it.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::SimulateError;
use crate::frozen::{fingerprint, layer_hash};
use crate::layer::{
    FixedParameters, HungParameters, LogParameters, LookParameters, NeedParameters,
    OverloadParameters, QuotaParameters, SingleParameters,
};
use crate::random::Spread;

const BUILT_IN: [(&str, &str); 5] = [
    ("small", include_str!("../presets/small.toml")),
    ("quick", include_str!("../presets/quick.toml")),
    ("rapid", include_str!("../presets/rapid.toml")),
    ("ospool", include_str!("../presets/ospool.toml")),
    ("cms", include_str!("../presets/cms.toml")),
];

/// Layers: tables that are laid over a preset.
const LAYERS: [(&str, &str); 1] = [("faults-3", include_str!("../presets/faults-3.toml"))];

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
    /// The layers laid over it, in their order.
    #[serde(skip)]
    pub(crate) layers: Vec<String>,
    /// What they are known by in the fingerprint.
    #[serde(skip)]
    pub(crate) layer_hashes: Vec<String>,
    /// How many times as long everything takes as it says.
    #[serde(skip, default = "one")]
    pub(crate) unit: f64,
    pub(crate) access_point: AccessPointParameters,
    pub(crate) jobs: JobParameters,
    pub(crate) owners: OwnerParameters,
    pub(crate) people: PeopleParameters,
    pub(crate) sites: SiteParameters,
    pub(crate) services: ServiceParameters,
    pub(crate) filesystems: FilesystemParameters,
    pub(crate) usage: UsageParameters,
    pub(crate) flaws: FlawParameters,
    pub(crate) needs: Option<NeedParameters>,
    pub(crate) single: Option<SingleParameters>,
    pub(crate) fixed: Option<FixedParameters>,
    pub(crate) looks: Option<LookParameters>,
    pub(crate) hung: Option<HungParameters>,
    pub(crate) overload: Option<OverloadParameters>,
    pub(crate) quotas: Option<QuotaParameters>,
    pub(crate) logs: Option<LogParameters>,
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
        Self::load_with(name, &[])
    }

    /// The same, with layers laid over it: each is a built-in one by its name, or a file whose name
    /// ends in `.toml`. Its values take the place of the preset's, section by section, the last
    /// layer's of all.
    ///
    /// # Errors
    /// No such preset, layer or file, or what comes of them is not a preset.
    pub fn load_with(name: &str, layers: &[String]) -> Result<Self, SimulateError> {
        let text = text_of("preset", name, &BUILT_IN)?;
        let mut hashes = Vec::new();
        let mut preset = if layers.is_empty() {
            Self::parse(name, &text)?
        } else {
            let mut table = table(name, &text)?;
            for layer in layers {
                let text = text_of("layer", layer, &LAYERS)?;
                lay_over(&mut table, self::table(layer, &text)?);
                hashes.push(layer_hash(layer, &text));
            }
            let whole = [&[name.to_owned()], layers].concat().join(" with ");
            Self::checked(&whole, table.try_into())?
        };
        preset.name = name.to_owned();
        preset.layers = layers.to_vec();
        preset.layer_hashes = hashes;
        Ok(preset)
    }

    /// Hash over what every preset gives, and over the layers of this one: 16 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.layer_hashes)
    }

    /// The names of the built-in presets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    fn parse(name: &str, text: &str) -> Result<Self, SimulateError> {
        Self::checked(name, toml::from_str(text))
    }

    fn checked(name: &str, read: Result<Self, toml::de::Error>) -> Result<Self, SimulateError> {
        let preset = read.map_err(|error| bad(name, error.to_string()))?;
        preset.check().map_err(|message| bad(name, message))?;
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
        self.check_layers()
    }

    /// Shares are from 0 to 1, ranges in order.
    fn check_layers(&self) -> Result<(), String> {
        let mut shares = Vec::new();
        let mut ranges = Vec::new();
        if let Some(needs) = &self.needs {
            shares.extend([needs.memory, needs.disk, needs.run_time, needs.by_use]);
            shares.extend([needs.disk_by_use, needs.system_policy, needs.exact]);
            ranges.push([1.0, needs.most]);
        }
        if let Some(single) = &self.single {
            shares.extend([single.flaws, single.bad_input, single.jobs[1]]);
            ranges.push(single.jobs);
        }
        if let Some(fixed) = &self.fixed {
            shares.extend([fixed.share, fixed.folder, fixed.product]);
        }
        shares.extend(self.looks.as_ref().map(|looks| looks.slow));
        if let Some(hung) = &self.hung {
            shares.extend([hung.workflows, hung.others, hung.limits, hung.runs[1]]);
            ranges.extend([hung.runs, hung.limit_of_run, [0.0, hung.hosts]]);
        }
        if let Some(overload) = &self.overload {
            shares.extend([overload.fails[1], overload.again, overload.grows]);
            ranges.push(overload.fails);
        }
        if let Some(quotas) = &self.quotas {
            shares.extend([quotas.members, quotas.no_space]);
            if !(1..=1_000).contains(&quotas.projects) {
                let found = quotas.projects;
                return Err(format!("quotas.projects is {found}, expected 1 to 1,000"));
            }
        }
        shares.extend(self.logs.as_ref().map(|logs| logs.bare));
        if let Some(share) = shares.into_iter().find(|share| !(0.0..=1.0).contains(share)) {
            return Err(format!("a share is {share}, expected 0 to 1"));
        }
        match ranges.into_iter().find(|[from, to]| !(0.0 <= *from && from <= to)) {
            Some(range) => Err(format!("a range is {range:?}, expected the smaller number first")),
            None => Ok(()),
        }
    }
}

fn one() -> f64 {
    1.0
}

/// The text of a preset or layer, a built-in one or a file's.
fn text_of(
    kind: &str,
    name: &str,
    built_in: &[(&str, &'static str)],
) -> Result<Cow<'static, str>, SimulateError> {
    if let Some((_, text)) = built_in.iter().find(|(known, _)| *known == name) {
        return Ok(Cow::Borrowed(text));
    }
    if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
        let known: Vec<&str> = built_in.iter().map(|(name, _)| *name).collect();
        let known = known.join(", ");
        return Err(SimulateError::Preset(format!(
            "no {kind} {name:?}: expected one of {known}, or the path of a {kind} file (.toml)"
        )));
    }
    let text = std::fs::read_to_string(name)
        .map_err(|error| SimulateError::Preset(format!("{kind} file {name}: {error}")))?;
    Ok(Cow::Owned(text))
}

fn table(name: &str, text: &str) -> Result<Table, SimulateError> {
    toml::from_str(text).map_err(|error| bad(name, error.to_string()))
}

fn bad(name: &str, message: impl Display) -> SimulateError {
    SimulateError::Preset(format!("preset {name}: {message}"))
}

/// Puts the values of a layer in the place of those that are there.
fn lay_over(below: &mut Table, layer: Table) {
    for (name, value) in layer {
        match (below.get_mut(&name), value) {
            (Some(Value::Table(below)), Value::Table(value)) => lay_over(below, value),
            (_, value) => {
                below.insert(name, value);
            }
        }
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
        for (name, text) in BUILT_IN.into_iter().chain(LAYERS) {
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
    fn a_layer_changes_what_it_names_and_nothing_else() {
        let plain = Preset::load("rapid").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.toml");
        std::fs::write(&own, "[needs]\nmemory = 0.5\n[jobs]\nper_day = 7.0\n").unwrap();
        let layers = ["faults-3".to_owned(), own.to_str().unwrap().to_owned()];
        let layered = Preset::load_with("rapid", &layers).unwrap();
        let needs = layered.needs.as_ref().unwrap();
        assert_eq!((needs.memory, needs.most, layered.jobs.per_day), (0.5, 3.0, 7.0));
        assert_eq!(layered.jobs.run_minutes, plain.jobs.run_minutes);
        assert_eq!(format!("{:?}", layered.sites), format!("{:?}", plain.sites));
        assert!(plain.needs.is_none() && layered.hung.is_some());
        assert_eq!((layered.name.as_str(), &layered.layers[..]), ("rapid", &layers[..]));
    }

    #[test]
    fn what_is_wrong_in_a_layer_is_said() {
        let message = Preset::load_with("small", &["faults".to_owned()]).unwrap_err().to_string();
        assert!(message.contains("no layer \"faults\": expected one of faults-3"), "{message}");
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.toml");
        for (text, said) in [
            ("[needs]\nmemory = 0.5\n", "missing field"),
            ("[jobs]\nper_week = 1.0\n", "per_week"),
            ("[looks]\nslow = 1.5\ntimes = { median = 1.0, sigma = 1.0 }\n", "a share is 1.5"),
        ] {
            std::fs::write(&own, text).unwrap();
            let layers = [own.to_str().unwrap().to_owned()];
            let message = Preset::load_with("small", &layers).unwrap_err().to_string();
            assert!(message.contains(said) && message.contains("own.toml"), "{message}");
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
