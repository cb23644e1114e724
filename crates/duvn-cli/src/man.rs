use crate::failure::{Failure, print_line};
use std::path::PathBuf;

/// Write manual pages, one for the program and one for each command.
#[derive(clap::Args)]
pub struct Args {
    /// The folder for them, for example ~/.local/share/man/man1.
    folder: PathBuf,
}

pub fn run(args: &Args, program: clap::Command) -> Result<(), Failure> {
    let folder = &args.folder;
    let unwritable = |error: std::io::Error| {
        Failure::usage(format!("cannot write to {}: {error}; name another folder", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let names = names(&program);
    clap_mangen::generate_to(program, folder).map_err(unwritable)?;
    for name in names {
        let page = folder.join(format!("{name}.1"));
        let text = std::fs::read_to_string(&page).map_err(unwritable)?;
        std::fs::write(&page, unfilled(&text)).map_err(unwritable)?;
    }
    print_line(&format!(
        "wrote the pages to {}; read one with: man {}/duvn.1",
        folder.display(),
        folder.display()
    ))
}

/// The names of the pages.
fn names(program: &clap::Command) -> Vec<String> {
    let below = program.get_subcommands().map(|command| format!("duvn-{}", command.get_name()));
    std::iter::once("duvn".to_string()).chain(below).collect()
}

/// The page with the lines of its last part, which are columns, as they are: not filled up into paragraphs.
fn unfilled(page: &str) -> String {
    let mut lines = Vec::new();
    let mut extra = false;
    for line in page.lines() {
        if extra && line.starts_with(".SH") {
            lines.push(".fi");
            extra = false;
        }
        lines.push(line);
        if line == ".SH EXTRA" {
            lines.push(".nf");
            extra = true;
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::unfilled;

    #[test]
    fn columns_stay_columns() {
        let page = ".SH OPTIONS\na\n.SH EXTRA\nb  c\n.SH VERSION\nd\n";
        assert_eq!(unfilled(page), ".SH OPTIONS\na\n.SH EXTRA\n.nf\nb  c\n.fi\n.SH VERSION\nd\n");
    }
}
