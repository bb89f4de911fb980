//! What to do about the held jobs of these ads, by this log?
use holdadvise::advice::{Policies, advise};
use holdadvise::history::{Coverage, HistoryBuilder};
use holdadvise::model::Model;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (log, ads) = (arguments.next().ok_or("usage: LOG ADS")?, arguments.next().ok_or("no ads")?);
    let mut history = HistoryBuilder::new();
    history.read_log(log.as_ref(), Coverage::AccessPoint, &eventlog::ReadOptions::default())?;
    let ads = std::io::BufReader::new(std::fs::File::open(ads)?);
    let ads = classads::read_ads(ads).collect::<Result<Vec<_>, _>>()?;
    let now = ads.iter().filter_map(|ad| ad.integer("ServerTime")).max().unwrap_or(1_795_300_000);
    for advice in advise(history, &ads, &Model::builtin_default()?, &Policies::unknown(), now)? {
        println!("{} {}", advice.held.job, advice.recommendation.name());
    }
    Ok(())
}
