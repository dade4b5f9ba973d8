//! Opens the window, or runs a command of the command line.

#[cfg(feature = "gui")]
mod window;

use fonds::cli::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("FONDS_LOG"))
        .with_writer(std::io::stderr)
        .init();
    let cli = Cli::of_command_line();
    match cli.command {
        Some(command) => fonds::cli::run(command),
        None => window(cli.folder),
    }
}

#[cfg(not(feature = "gui"))]
fn window(_folder: Option<std::path::PathBuf>) -> ExitCode {
    eprintln!("fonds: this build has no window. Try: fonds demo, or fonds --help");
    ExitCode::from(fonds::cli::WRONG_USE)
}

#[cfg(feature = "gui")]
fn window(folder: Option<std::path::PathBuf>) -> ExitCode {
    let no_screen = "Without a screen, try: fonds demo (the whole way on a sample), or fonds --help";
    if cfg!(target_os = "linux")
        && ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()))
    {
        eprintln!("fonds: there is no display for the window. {no_screen}");
        return ExitCode::from(fonds::cli::WRONG_USE);
    }
    let opener = std::sync::Arc::new(fonds::work::Workspaces::new());
    match window::open(folder, opener) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fonds: the window cannot be opened: {error}. {no_screen}");
            ExitCode::from(fonds::cli::WRONG_USE)
        }
    }
}
