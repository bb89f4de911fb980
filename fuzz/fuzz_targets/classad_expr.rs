//! Any text: parse it, evaluate it, print it, parse that again.
#![no_main]

use classads::{ClassAd, EvalContext, Expr, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(ad) = ClassAd::parse("[ x = 5; y = 2.5; s = \"text\"; l = { 1, x }; n = [ x = 6; z = parent.x ]; c = c ]")
    else {
        return;
    };
    // Fewer steps than by default, so that one input cannot take seconds.
    let context = EvalContext { max_steps: 20_000, random_seed: Some(1), ..EvalContext::at(1_700_000_000) };
    let _ = Expr::parse_old(text);
    if let Ok(expr) = Expr::parse(text) {
        let value = ad.evaluate_expr(&expr, &context);
        let _ = value.to_string();
        let _ = expr.attribute_references();
        let printed = expr.print(Style::New);
        match Expr::parse(&printed) {
            Ok(again) => assert_eq!(again.print(Style::New), printed),
            Err(error) => panic!("{text:?} prints as {printed:?}: {error}"),
        }
    }
});
