//! The manual page, written from the definitions of the options.

use std::io;

use clap::Command;
use clap_mangen::Man;

/// What begins the page.
const ORIGIN: &str =
    ".\\\" Written by `holdadvise-train manual`; change the definitions of options instead.\n";

/// What `clap_mangen` writes before each part.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// The manual page of a tool and of all its subcommands, section 1, in the language of man(7).
///
/// # Errors
/// Never: it is written to memory.
pub(crate) fn page(mut tool: Command) -> io::Result<String> {
    tool.build();
    let out = &mut Vec::new();
    let man = Man::new(tool.clone()).date("").manual("holdadvise");
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    tool.get_subcommands().try_for_each(|command| subcommand(command, out))?;
    // Each part begins with the apostrophe that it means; once is enough.
    let text = String::from_utf8_lossy(out).replace(APOSTROPHE, "");
    Ok(format!("{ORIGIN}{APOSTROPHE}{text}"))
}

/// The sections of a subcommand, below its name; those of its own subcommands behind it.
fn subcommand(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    if command.is_hide_set() || command.get_name() == "help" {
        return Ok(());
    }
    if command.has_subcommands() {
        return command.get_subcommands().try_for_each(|inner| subcommand(inner, out));
    }
    let man = Man::new(command.clone());
    let mut sections = Vec::new();
    man.render_synopsis_section(&mut sections)?;
    man.render_description_section(&mut sections)?;
    man.render_options_section(&mut sections)?;
    let sections = format!("\n{}", String::from_utf8_lossy(&sections)).replace("\n.SH ", "\n.SS ");
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_uppercase();
    out.extend(format!(".SH \"{}\"{sections}", name.replace('-', "\\-")).bytes());
    Ok(())
}
