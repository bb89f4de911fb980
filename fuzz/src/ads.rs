//! Expressions and ads.

use std::sync::LazyLock;

use classads::{ClassAd, EvalContext, Expr, Style};

/// What HTCondor prints of a relative time of 68 years and more, up to the seconds, and cannot
/// read.
const OVERFLOW: &str = "-24855+-3:-14:-";

/// Has a time below a ten thousandth of a second, which HTCondor prints with an exponent and does
/// not read again.
fn has_small_time(printed: &str) -> bool {
    printed.split("relTime(\"").skip(1).any(|time| {
        let time = time.split('"').next().unwrap_or_default();
        time.contains("e-")
    })
}

static JOB: LazyLock<ClassAd> = LazyLock::new(|| {
    ClassAd::parse(
        "[ x = 5; y = 2.5; s = \"text\"; l = { 1, x }; n = [ x = 6; z = parent.x ]; c = c; \
           names = \"a, b\"; t = absTime(0); ads = { [ x = 1 ], [ x = 2; z = y ] }; \
           Requirements = TARGET.Memory >= x && other.n.m =!= my.x ]",
    )
    .expect("the ad of the job parses")
});
static MACHINE: LazyLock<ClassAd> = LazyLock::new(|| {
    ClassAd::parse("[ Memory = 4096; x = TARGET.x + 1; n = [ m = parent.Memory ]; y = other.y ]")
        .expect("the ad of the machine parses")
});

/// Any text: it is parsed, evaluated, alone and in a match, printed, and parsed again.
pub fn classad_expr(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
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
                    again.is_ok() || printed.contains(OVERFLOW) || has_small_time(&printed),
                    "{text:?} prints as {printed:?}"
                );
            }
        }
    }
}

/// Any bytes as ads of whatever form; what is read can be written and read again.
pub fn classad_long(bytes: &[u8]) {
    for ad in classads::read_ads(bytes).flatten() {
        let errors = ad.errors().count();
        let json = classads::json::to_string(&ad);
        let again = classads::json::parse(&json);
        if errors == 0 {
            assert_eq!(again.map(|again| again.len()).ok(), Some(ad.len()), "{json}");
        }
        let xml = classads::xml::to_string(&ad);
        let again = classads::xml::parse(&xml);
        // XML has no place for a name without characters, nor for NUL characters.
        if errors == 0 && !xml.contains("n=\"\"") && !xml.contains("\\000") {
            assert_eq!(again.map(|again| again.len()).ok(), Some(ad.len()), "{xml}");
        }
        let mut long = Vec::new();
        let _ = classads::long::write(&mut long, &ad);
        let _ = classads::read_ads(&long[..]).count();
        if let Some(banner) = ad.banner() {
            let _ = classads::long::Banner::parse(banner);
        }
    }
}
