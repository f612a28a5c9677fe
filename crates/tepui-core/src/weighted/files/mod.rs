//! The rules of large files, read without an object for each.
//!
//! A reader here is quick and gives up at once: it knows correct files only, and whatever else it
//! meets, it returns nothing. Then the careful reader, which is written in Python, reads the file
//! from its beginning, and says what is wrong with it, if anything is. So there is one place only
//! where errors are described.
//!
//! | module | what it has |
//! |---|---|
//! | [`pdaaal`] | the rules of the public PDAAAL tool |
//!
//! Below it, `json` is a cursor over a text, and `names` numbers what it reads.

mod json;
mod names;
pub mod pdaaal;
