//! Clusters of like jobs, what is wrong with them, and what was edited since.

use crate::layer::SingleParameters;
use crate::preset::FlawParameters;
use crate::random::Dice;
use crate::world::Workflow;

/// A lasting mistake of a cluster or of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    WrongPath,
    DeletedInput,
    UnreadableInput,
    WrongUrl,
    WrongServer { port: bool },
    ForbiddenUrl,
    BadInterpreter,
    WrongFormat,
    NotExecutable,
    MissingFolder,
    MissingStdoutFolder,
    BadImage,
    TooLargeInput,
    TooLargeOutput,
    NoCredential,
    CpuOveruse,
}

#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) id: i32,
    pub(crate) owner: usize,
    pub(crate) workflow: usize,
    pub(crate) submitted: i64,
    pub(crate) size: usize,
    /// Index of its first job.
    pub(crate) first_job: usize,
    /// A mistake, and the share of its jobs that have it.
    pub(crate) flaw: Option<(Flaw, f64)>,
    /// The cluster whose jobs make the input of these.
    pub(crate) producer: Option<usize>,
    /// Whether that input is fetched by a URL.
    pub(crate) producer_by_url: bool,
    /// When somebody put its mistakes right: an edit shows nothing of it.
    pub(crate) fixed_at: Option<i64>,
    /// A lasting bug, and the share of jobs whose input it fails on.
    pub(crate) bug: f64,
    pub(crate) iwd: String,
    /// Index of one more word for its paths.
    pub(crate) word: usize,
    pub(crate) memory_scale: f64,
    pub(crate) disk_scale: f64,
    pub(crate) run_scale: f64,
}

/// What is drawn once for a job.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits {
    pub(crate) flaw: Option<Flaw>,
    pub(crate) bug: bool,
    /// MiB in the middle of its runs.
    pub(crate) memory: f64,
    /// KiB in the middle of its runs.
    pub(crate) disk: f64,
    /// Seconds on a machine of speed 1.
    pub(crate) run: f64,
}

/// The ad of a job as edited, and what was corrected for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Edits {
    /// MiB.
    pub(crate) request_memory: i64,
    /// KiB.
    pub(crate) request_disk: i64,
    /// One bit for each site that Requirements exclude.
    pub(crate) excluded: u64,
    /// The mistake behind the hold was corrected.
    pub(crate) corrected: bool,
    /// The mend shows in the ad: another path, another command.
    pub(crate) described: bool,
    /// The job's own limits on run time were raised.
    pub(crate) unlimited: bool,
}

/// Draws the mistake of a new cluster.
pub(crate) fn draw_flaw(
    p: &FlawParameters,
    single: Option<&SingleParameters>,
    workflow: &Workflow,
    dice: &mut Dice,
) -> Option<(Flaw, f64)> {
    let urls = if workflow.input_services.is_empty() { 0.0 } else { 1.0 / 0.6 };
    let contained = f64::from(workflow.container != crate::world::Container::None);
    let direct = 1.0 - contained;
    let all = [
        (Flaw::WrongPath, p.wrong_path),
        (Flaw::DeletedInput, p.deleted_input),
        (Flaw::UnreadableInput, p.unreadable_input),
        (Flaw::WrongUrl, p.wrong_url * urls),
        (Flaw::WrongServer { port: false }, p.wrong_server * 0.5 * urls),
        (Flaw::WrongServer { port: true }, p.wrong_server * 0.5 * urls),
        (Flaw::ForbiddenUrl, p.forbidden_url * urls),
        (Flaw::BadInterpreter, p.bad_interpreter * direct * 1.6),
        (Flaw::WrongFormat, p.wrong_format * direct * 1.6),
        (Flaw::NotExecutable, p.not_executable * direct * 1.6),
        (Flaw::MissingFolder, p.missing_folder),
        (Flaw::MissingStdoutFolder, p.missing_stdout_folder),
        (Flaw::BadImage, p.bad_image * contained * 2.5),
        (Flaw::TooLargeInput, p.too_large_input),
        (Flaw::TooLargeOutput, p.too_large_output),
        (
            Flaw::NoCredential,
            p.no_credential * f64::from(u8::from(workflow.needs_credential)) * 3.0,
        ),
        (Flaw::CpuOveruse, p.cpu_overuse),
    ];
    let mut rest = dice.unit();
    let (flaw, _) = all.into_iter().find(|(_, probability)| {
        rest -= probability;
        rest < 0.0
    })?;
    let share = match single {
        Some(single) if flaw.can_be_of_one() && dice.chance(single.flaws) => few(single, dice),
        None if flaw.is_often_of_one() && dice.chance(0.6) => 0.05 + 0.3 * dice.unit(),
        _ => 1.0,
    };
    Some((flaw, share))
}

/// A share of jobs that is small.
pub(crate) fn few(single: &SingleParameters, dice: &mut Dice) -> f64 {
    let [from, to] = single.jobs;
    from + (to - from) * dice.unit()
}

impl Flaw {
    /// Of single jobs also without a section `single`.
    fn is_often_of_one(self) -> bool {
        matches!(self, Self::DeletedInput | Self::WrongUrl | Self::WrongPath | Self::TooLargeOutput)
    }

    /// It lies in what differs between the jobs of a cluster: their inputs and outputs. Folders are
    /// those of the cluster.
    fn can_be_of_one(self) -> bool {
        self.is_often_of_one()
            || matches!(self, Self::UnreadableInput | Self::ForbiddenUrl | Self::TooLargeInput)
    }

    /// Somebody else can put it right, without an edit.
    pub(crate) fn can_be_fixed(self) -> bool {
        !matches!(
            self,
            Self::WrongServer { .. }
                | Self::TooLargeInput
                | Self::TooLargeOutput
                | Self::CpuOveruse
        )
    }
}

impl Cluster {
    /// Somebody has put its mistakes right.
    pub(crate) fn is_fixed(&self, instant: i64) -> bool {
        self.fixed_at.is_some_and(|fixed| fixed <= instant)
    }
}
