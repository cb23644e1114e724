use crate::failure::{Failure, print_line};
use crate::sweep::store_failure;
use duvn_lab::report::{Report, ReportError, report};
use duvn_lab::store::Store;
use std::path::PathBuf;

/// Make figures, tables and one HTML page from an experiment's folder.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the experiment.
    folder: PathBuf,
}

/// The columns of the summary that fit a terminal.
const COLUMNS: [usize; 6] = [0, 1, 2, 3, 4, 6];

pub fn run(args: &Args) -> Result<(), Failure> {
    let store = Store::open(&args.folder).map_err(store_failure)?;
    print_report(&store)
}

/// Writes the report, prints the summary and where the page is.
pub fn print_report(store: &Store) -> Result<(), Failure> {
    let Report { page, summary, deep_sea } = report(store).map_err(report_failure)?;
    for line in summary.to_text(&COLUMNS).lines() {
        print_line(line)?;
    }
    if let Some(score) = deep_sea {
        print_line("\nbsuite's score of deep_sea")?;
        for line in score.to_text(&[0, 1]).lines() {
            print_line(line)?;
        }
    }
    print_line(&format!("\nreport: {}", page.display()))
}

pub fn report_failure(error: ReportError) -> Failure {
    match error {
        ReportError::Store(error) => store_failure(error),
        error => Failure::failed(error),
    }
}
