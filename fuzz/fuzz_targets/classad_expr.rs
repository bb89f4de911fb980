//! Any text: parse it, evaluate it, alone and in a match, print it, parse that again.
#![no_main]

use std::sync::LazyLock;

use classads::{ClassAd, EvalContext, Expr, Style};
use libfuzzer_sys::fuzz_target;

/// What HTCondor prints of a relative time of 68 years and more, up to the seconds, and cannot
/// read.
const OVERFLOW: &str = "-24855+-3:-14:-";

static JOB: LazyLock<ClassAd> = LazyLock::new(|| {
    ClassAd::parse(
        "[ x = 5; y = 2.5; s = \"text\"; l = { 1, x }; n = [ x = 6; z = parent.x ]; c = c; names = \"a, b\"; t = absTime(0);
           ads = { [ x = 1 ], [ x = 2; z = y ] }; Requirements = TARGET.Memory >= x && other.n.m =!= my.x ]",
    )
    .expect("the ad of the job parses")
});
static MACHINE: LazyLock<ClassAd> = LazyLock::new(|| {
    ClassAd::parse("[ Memory = 4096; x = TARGET.x + 1; n = [ m = parent.Memory ]; y = other.y ]")
        .expect("the ad of the machine parses")
});

fuzz_target!(|text: &str| {
    // Fewer steps than by default, so that one input cannot take seconds.
    let context = EvalContext {
        target: Some(&MACHINE),
        max_steps: 20_000,
        random_seed: Some(1),
        ..EvalContext::at(1_700_000_000)
    };
    if let Ok(expr) = Expr::parse_old(text) {
        let _ = JOB.evaluate_expr(&expr, &context);
    }
    if let Ok(expr) = Expr::parse(text) {
        let _ = JOB.evaluate_expr(&expr, &context).to_string();
        let _ = expr.attribute_references();
        let _ = JOB.external_references(&expr, &context);
        let _ = JOB.internal_references(&expr, &context);
        // The text may differ: reals lose digits and `- 1` becomes the number -1.
        for style in [Style::New, Style::Long] {
            let printed = expr.print(style);
            let again = Expr::parse(&printed);
            // The old syntax writes backslashes in strings as they are.
            if style == Style::New {
                assert!(
                    again.is_ok() || printed.contains(OVERFLOW),
                    "{text:?} prints as {printed:?}"
                );
            }
        }
    }
});
