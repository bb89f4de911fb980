//! The file systems of this machine, from `/proc/self/mountinfo` (proc(5)).

use std::path::{Path, PathBuf};

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    point: PathBuf,
    /// The kernel's number of it.
    id: u32,
    /// Rights depend on credentials that the process which looks may lack.
    by_credentials: bool,
}

/// All mounts, the deepest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

impl Mounts {
    pub(super) fn here() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut mounts: Vec<Mount> = text.lines().filter_map(Mount::parse).collect();
        // Of mounts at one place the last one is seen.
        mounts.reverse();
        mounts.sort_by_key(|mount| std::cmp::Reverse(mount.point.components().count()));
        Self(mounts)
    }

    /// The number of the mount that a path lies on, and whether rights there depend on credentials.
    pub(super) fn of(&self, path: &Path) -> (u32, bool) {
        let mount = self.0.iter().find(|mount| path.starts_with(&mount.point));
        mount.map_or((0, false), |mount| (mount.id, mount.by_credentials))
    }
}

impl Mount {
    /// `36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
    fn parse(line: &str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut words = before.split(' ');
        let id = words.next()?.parse().ok()?;
        let point = unescaped(words.nth(3)?);
        let mut words = after.split(' ');
        let kind = words.next()?;
        let options = words.nth(1).unwrap_or_default();
        let by_credentials = matches!(kind, "afs" | "auristorfs" | "cifs" | "smb3")
            || options.split(',').any(|option| option.starts_with("sec=krb5"));
        Some(Self { point: point.into(), id, by_credentials })
    }
}

/// `\040` stands for a blank, and so on.
fn unescaped(text: &str) -> String {
    let mut out = text.to_owned();
    for (code, sign) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        out = out.replace(code, sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_on_the_deepest_mount() {
        let mounts = Mounts::parse(
            "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n\
             30 22 0:40 / /home rw - nfs4 s:/home rw,vers=4.2,sec=krb5p\n\
             31 30 0:41 / /home/my\\040data rw - cifs //s/x rw\n\
             no mount\n\
             40 22 0:50 / /home rw - nfs4 t:/home rw,sec=sys\n",
        );
        for (path, found) in [
            ("/etc/hosts", (22, false)),
            ("/home", (40, false)),
            ("/home/alice/x", (40, false)),
            ("/home/my data/x", (31, true)),
            ("/homes", (22, false)),
        ] {
            assert_eq!(mounts.of(Path::new(path)), found, "{path}");
        }
        assert_eq!(Mounts::parse("").of(Path::new("/x")), (0, false));
    }
}
