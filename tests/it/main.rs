//! Journeys through the whole program, in one test binary.
