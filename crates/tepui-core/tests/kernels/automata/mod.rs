//! Saturation, and languages of stacks.

mod saturation;
mod stack_languages;
