//! Any text: parse it, evaluate it, print it, parse that again.
#![no_main]

use classads::{ClassAd, EvalContext, Expr, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(ad) = ClassAd::parse(
        "[ x = 5; y = 2.5; s = \"text\"; l = { 1, x }; n = [ x = 6; z = parent.x ]; c = c ]",
    ) else {
        return;
    };
    // Fewer steps than by default, so that one input cannot take seconds.
    let context =
        EvalContext { max_steps: 20_000, random_seed: Some(1), ..EvalContext::at(1_700_000_000) };
    let _ = Expr::parse_old(text);
    if let Ok(expr) = Expr::parse(text) {
        let _ = ad.evaluate_expr(&expr, &context).to_string();
        let _ = expr.attribute_references();
        // The text may differ: reals lose digits and `- 1` becomes the number -1.
        for style in [Style::New, Style::Long] {
            let printed = expr.print(style);
            let again = Expr::parse(&printed);
            // The old syntax writes backslashes in strings as they are.
            if style == Style::New {
                assert!(again.is_ok(), "{text:?} prints as {printed:?}");
            }
        }
    }
});
