//! Opens the window, or hands the words to the command line.

fn main() {}
