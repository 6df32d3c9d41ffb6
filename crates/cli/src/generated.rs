//! `lariat completions` and `lariat man`: what is made from the description of the command line itself, so
//! that it never says anything else.

use crate::Exit;
use crate::args::{Arguments, Completions, Man, Shell};
use crate::output::print_data;
use anyhow::Context;
use clap::CommandFactory;

pub fn completions(arguments: &Completions) -> anyhow::Result<Exit> {
    let shell = match arguments.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Power => clap_complete::Shell::PowerShell,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lariat", &mut text);
    print_data(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Holds)
}

pub fn man(arguments: &Man) -> anyhow::Result<Exit> {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    clap_mangen::generate_to(Arguments::command(), directory)
        .with_context(|| format!("cannot write the pages to {}", directory.display()))?;
    Ok(Exit::Holds)
}
