use crate::failure::{Failure, print_line, store_failure};
use crate::sweep::say_uneven;
use duvn_lab::report::{Report, ReportError, Table, report, tables, update_document};
use duvn_lab::store::Store;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Make figures, tables and one HTML page from an experiment's folder.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment; with --tables a file of runs, with --document a Markdown document.
    folder: PathBuf,
    /// Print the tables of a file of runs (CSV, as `duvn export --csv` writes it) in Markdown.
    #[arg(long, conflicts_with = "document")]
    tables: bool,
    /// Make the tables of a Markdown document again, from the files of runs that its markers name:
    /// `<!-- table FILE.csv: COLUMN, COLUMN -->` or `<!-- differences FILE.csv to AGENT -->` (the first one if none is
    /// named), up to `<!-- /table -->`.
    #[arg(long)]
    document: bool,
}

/// The columns of the summary that fit a terminal.
const COLUMNS: [usize; 6] = [0, 1, 2, 5, 6, 7];

pub fn run(args: &Args) -> Result<(), Failure> {
    let path = &args.folder;
    if args.tables {
        let text = tables(path).map_err(report_failure)?;
        return text.lines().try_for_each(print_line);
    }
    if args.document {
        return update_document(path).map_err(report_failure);
    }
    let store = Store::open(&args.folder).map_err(store_failure)?;
    print_report(&store).map(|_| ())
}

/// Writes the report, prints the summary, which is given back, and where the page is.
pub fn print_report(store: &Store) -> Result<Table, Failure> {
    let Report { page, summary, deep_sea } = report(store).map_err(report_failure)?;
    say_uneven(store)?;
    for line in summary.to_text(&COLUMNS).lines() {
        print_line(line)?;
    }
    if let Some(score) = deep_sea {
        print_line("\nbsuite's score of deep_sea")?;
        for line in score.to_text(&[0, 1]).lines() {
            print_line(line)?;
        }
    }
    print_line(&format!("\nreport: {}", page.display()))?;
    Ok(summary)
}

pub fn report_failure(error: ReportError) -> Failure {
    match error {
        ReportError::Store(error) => store_failure(error),
        error @ (ReportError::Runs { .. } | ReportError::Document { .. }) => Failure::usage(error),
        ReportError::Write { path, error } if is_refused(&error) => Failure::usage(format!(
            "cannot write {}: {error}; name a folder that can be written",
            path.display()
        )),
        error => Failure::failed(error),
    }
}

/// Whether a file cannot be there at all, whatever one does about the disk.
fn is_refused(error: &std::io::Error) -> bool {
    use ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), AlreadyExists | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
}
