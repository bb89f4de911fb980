//! Which of the held jobs would this policy release at that time?
use classads::{EvalContext, Expr};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (file, policy, time) = (arguments.next(), arguments.next(), arguments.next());
    let policy: Expr = policy.ok_or("usage: ADS POLICY TIME")?.parse()?;
    let context = EvalContext::at(time.ok_or("no time")?.parse()?);
    let ads = std::io::BufReader::new(std::fs::File::open(file.ok_or("no ads")?)?);
    for ad in classads::read_ads(ads) {
        let ad = ad?;
        println!("{}.{} {}", ad["ClusterId"], ad["ProcId"], ad.evaluate_expr(&policy, &context));
    }
    Ok(())
}
