//! Saturation, and languages of stacks.

mod languages;
mod saturation;
