//! Ids: numbers that each stand for one kind of thing. Ids of different kinds are different types,
//! so that one cannot be taken for another.

use std::fmt::Debug;
use std::hash::Hash;

/// What all kinds of ids have in common.
pub trait Id: Copy + Debug + Ord + Hash {
    /// The id with a number.
    fn new(number: u32) -> Self;

    /// Its number.
    fn number(self) -> u32;

    /// Its number as the index of a list.
    #[inline]
    fn index(self) -> usize {
        self.number() as usize
    }
}

/// Declare a kind of id, with its documentation.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[allow(unreachable_pub, reason = "some kinds are for private modules")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        #[allow(dead_code, unreachable_pub, reason = "not every kind of id needs all of these")]
        impl $name {
            /// The id with a number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The id of the thing at an index of a list.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32)
            }

            /// Its number.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// Its number as the index of a list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The ids from one index up to but not including another.
            pub fn range(from: usize, to: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
                (from..to).map(Self::from_index)
            }
        }

        impl crate::ids::Id for $name {
            #[inline]
            fn new(number: u32) -> Self {
                Self(number)
            }

            #[inline]
            fn number(self) -> u32 {
                self.0
            }
        }
    };
}

pub(crate) use id;
