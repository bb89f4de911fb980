//! Names that templates are filled with.

use std::fmt::Write as _;

use super::Place;
use crate::random::Dice;

/// The values of `{name}` in templates.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) ap: String,
    ap_address: String,
    pub(super) slot: String,
    ep_address: String,
    port: i64,
    /// Directory of the job on the execution point.
    pub(super) scratch: String,
    pub(super) iwd: String,
    owner: String,
    pub(super) file: String,
    pub(super) url: String,
    pub(super) scheme: String,
    pub(super) plugin: String,
    pub(super) server: String,
    pub(super) server_port: i64,
    pub(super) message: String,
    pub(super) errno: i32,
    pub(super) code: i64,
    /// Free numbers.
    pub(super) a: i64,
    pub(super) b: i64,
}

impl Names {
    pub(super) fn of(place: &Place<'_>, dice: &mut Dice) -> Self {
        let mut names = Self {
            ap: place.world.preset.access_point.host.clone(),
            ap_address: place.world.address.clone(),
            iwd: place.cluster.iwd.clone(),
            owner: place.owner.to_owned(),
            port: dice.between(20_000, 60_000),
            ..Self::default()
        };
        if let Some(run) = place.run {
            let site = &place.world.sites[run.site];
            names.slot = super::slot_name(place.world, run);
            names.ep_address.clone_from(&site.hosts[run.host].address);
            names.scratch = format!("{}/dir_{}", site.scratch, dice.between(1_000, 3_999_999));
        }
        names
    }

    /// The template with its names filled in.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() + 96);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            self.put(&mut out, name);
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn put(&self, out: &mut String, name: &str) {
        let number = match name {
            "port" => self.port,
            "server_port" => self.server_port,
            "errno" => i64::from(self.errno),
            "code" => self.code,
            "a" => self.a,
            "b" => self.b,
            _ => {
                out.push_str(match name {
                    "ap" => &self.ap,
                    "ap_address" => &self.ap_address,
                    "slot" => &self.slot,
                    "ep_address" => &self.ep_address,
                    "scratch" => &self.scratch,
                    "iwd" => &self.iwd,
                    "owner" => &self.owner,
                    "file" => &self.file,
                    "url" => &self.url,
                    "scheme" => &self.scheme,
                    "plugin" => &self.plugin,
                    "server" => &self.server,
                    "message" => &self.message,
                    "error" => super::errno_text(self.errno),
                    _ => name,
                });
                return;
            }
        };
        // Writing to a String does not fail.
        let _ = write!(out, "{number}");
    }
}
