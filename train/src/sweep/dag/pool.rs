//! Whether the pool has GPUs.

use std::process::{Command, Stdio};

use crate::Error;
use crate::sweep::plan::Resources;

/// Asks `condor_status` for slots with GPUs where the plan wants some. What is returned is worth
/// saying, and no error.
///
/// # Errors
/// When the pool has machines and none of them has a GPU.
pub fn check(resources: &Resources) -> Result<Option<String>, Error> {
    ask(resources, "condor_status")
}

fn ask(resources: &Resources, program: &str) -> Result<Option<String>, Error> {
    if resources.gpus == 0 {
        return Ok(None);
    }
    let asked = Command::new(program)
        .args(["-startd", "-constraint", "TotalGPUs > 0 || GPUs > 0", "-af", "Machine"])
        .stdin(Stdio::null())
        .output();
    let unknown = |why: String| {
        Ok(Some(format!(
            "whether the pool has GPUs is not known ({why}): training nodes ask for {} each, and wait where there is none",
            resources.gpus
        )))
    };
    match asked {
        Err(error) => unknown(format!("{program}: {error}")),
        Ok(output) if !output.status.success() => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = holdadvise::text::strip_control(said.trim()).into_owned();
            unknown(format!("{program}: {}", holdadvise::text::shorten(&said, 200)))
        }
        Ok(output) if !output.stdout.trim_ascii().is_empty() => Ok(None),
        Ok(_) => Err(format!(
            "training nodes ask for {} GPU each, and no machine of the pool has one: their jobs would wait for ever. Write \
             `gpus: 0` into the resources of the sweep file to train on processors, or add --no-pool-check if the pool starts \
             machines with GPUs on demand",
            resources.gpus
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::sweep::dag::tests::resources;

    fn asked(gpus: u32, script: &str) -> Result<Option<String>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("condor_status");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        ask(&Resources { gpus, ..resources() }, path.to_str().unwrap())
    }

    #[test]
    fn a_pool_without_gpus_is_refused_with_both_ways_out() {
        let error = asked(1, "exit 0").unwrap_err().to_string();
        assert!(error.contains("gpus: 0") && error.contains("--no-pool-check"), "{error}");
        assert_eq!(asked(1, "echo ep1").unwrap(), None);
        assert_eq!(asked(0, "exit 0").unwrap(), None);
    }

    #[test]
    fn a_pool_that_does_not_answer_is_only_noted() {
        let note = asked(1, "echo 'no collector' >&2; exit 1").unwrap().unwrap();
        assert!(note.contains("no collector") && note.contains("wait"), "{note}");
        let note = ask(&resources_with_gpu(), "/no/such/condor_status").unwrap().unwrap();
        assert!(note.contains("/no/such/condor_status"), "{note}");
    }

    fn resources_with_gpu() -> Resources {
        Resources { gpus: 1, ..resources() }
    }
}
