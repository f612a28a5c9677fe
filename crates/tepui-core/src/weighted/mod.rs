//! Weighted pushdown systems: what all runs between configurations do to data, as one weight (WPDS,
//! sections 4 and 4.3, appendix B).
//!
//! | module | what it has |
//! |---|---|
//! | [`domain`] | what a domain of weights must be able to do |
//! | [`domains`] | those that run without the interpreter |
//! | [`pushdown`] | the rules, prepared for both saturations; their weights lie beside them |
//! | [`post_star`], [`pre_star`] | the weight of all runs from a regular set, or to it, for each configuration |
//! | [`summary`] | the weight of a regular set of configurations in what was found |
//! | [`run`] | the steps behind the weight of one configuration, if weights are totally ordered |
//! | [`files`] | the rules of large files |
//!
//! Below them, `transitions` holds transitions with weights, and `agenda` decides which one is looked at
//! next.

mod agenda;
pub mod domain;
pub mod domains;
pub mod files;
pub mod post_star;
pub mod pre_star;
pub mod pushdown;
pub mod run;
pub mod summary;
mod transitions;
