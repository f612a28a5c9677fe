//! Spans of integer vectors in canonical form, over the rationals or modulo a number.
//!
//! Equal spans have equal bases, so weights that are spans can be compared by their bases. These
//! are the same forms as those of `tepui.weighted.domains` in Python: the reduced echelon form with
//! rows of coprime integers, of which the first is positive, and the Howell form. Numbers are
//! machine words here. Over the rationals they can grow out of them, which is an error, never a
//! wrong number: whoever asked then has to do it with larger numbers.

/// The numbers by which vectors are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalars {
    /// The rational numbers.
    Rationals,
    /// The integers modulo a number from 2 to 2⁶⁴.
    Modulo(u128),
}

/// A number does not fit into a machine word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// A vector; modulo a number, its entries are from 0 to that number, so they are kept as i128.
pub type Vector = Vec<i128>;

/// A canonical basis: each vector begins right of the one before it.
pub type Basis = Vec<Vector>;

/// Entries stay below this, so that a product of two of them, and twice that, is an i128.
const LARGEST: u128 = 1 << 62;

impl Scalars {
    /// The largest modulus.
    pub const LARGEST_MODULUS: u128 = 1 << 64;

    /// A vector of any integers, as it is kept.
    pub fn reduced(self, mut vector: Vector) -> Vector {
        if let Scalars::Modulo(modulus) = self {
            for entry in &mut vector {
                *entry = entry.rem_euclid(modulus.cast_signed());
            }
        }
        vector
    }

    /// The canonical basis of what vectors span.
    pub fn canonical(
        self,
        vectors: impl IntoIterator<Item = Result<Vector, TooLarge>>,
    ) -> Result<Basis, TooLarge> {
        match self {
            Scalars::Rationals => {
                let mut span = RationalSpan::default();
                for vector in vectors {
                    span.insert(vector?)?;
                }
                span.basis()
            }
            Scalars::Modulo(modulus) => {
                let mut span = ModularSpan::modulo(modulus);
                for vector in vectors {
                    span.insert(vector?);
                }
                Ok(span.basis())
            }
        }
    }

    /// Which vectors those before them do not span, by their numbers, and where an echelon form of
    /// all of them begins: the first entry of each row that is not zero.
    pub fn independent(
        self,
        vectors: impl IntoIterator<Item = Vector>,
    ) -> Result<(Vec<usize>, Vector), TooLarge> {
        match self {
            Scalars::Rationals => {
                let mut span = RationalSpan::default();
                let kept = kept(vectors, |vector| span.insert(vector))?;
                Ok((kept, first_entries(&span.rows)))
            }
            Scalars::Modulo(modulus) => {
                let mut span = ModularSpan::modulo(modulus);
                let kept = kept(vectors, |vector| Ok(span.insert(vector)))?;
                Ok((kept, first_entries(&span.rows)))
            }
        }
    }

    /// The product of two matrices of some order, given row after row.
    pub fn multiply(self, a: &[i128], b: &[i128], order: usize) -> Result<Vector, TooLarge> {
        let mut product = Vec::with_capacity(order * order);
        for i in 0..order {
            for j in 0..order {
                let row = &a[i * order..(i + 1) * order];
                let column = b[j..].iter().step_by(order);
                product.push(self.inner_product(row, column)?);
            }
        }
        Ok(product)
    }

    fn inner_product<'a>(
        self,
        row: &[i128],
        column: impl Iterator<Item = &'a i128>,
    ) -> Result<i128, TooLarge> {
        let mut sum = 0i128;
        for (&x, &y) in row.iter().zip(column) {
            if x == 0 || y == 0 {
                continue;
            }
            sum = match self {
                Scalars::Rationals => sum.checked_add(x * y).ok_or(TooLarge)?,
                Scalars::Modulo(modulus) => {
                    let product = x.cast_unsigned() * y.cast_unsigned() % modulus;
                    ((sum.cast_unsigned() + product) % modulus).cast_signed()
                }
            };
        }
        Ok(sum)
    }
}

/// The numbers of those vectors that were inserted.
fn kept(
    vectors: impl IntoIterator<Item = Vector>,
    mut insert: impl FnMut(Vector) -> Result<bool, TooLarge>,
) -> Result<Vec<usize>, TooLarge> {
    let mut kept = Vec::new();
    for (number, vector) in vectors.into_iter().enumerate() {
        if insert(vector)? {
            kept.push(number);
        }
    }
    Ok(kept)
}

fn first_entries(rows: &[Option<Vector>]) -> Vector {
    rows.iter()
        .enumerate()
        .filter_map(|(column, row)| row.as_ref().map(|row| row[column]))
        .collect()
}

/// A vector space over the rationals: by column, the row of an echelon form that begins there.
#[derive(Debug, Default)]
struct RationalSpan {
    rows: Vec<Option<Vector>>,
    size: usize,
}

impl RationalSpan {
    /// Whether the vector was not in the span, which it is from now on.
    fn insert(&mut self, vector: Vector) -> Result<bool, TooLarge> {
        if self.size == vector.len() {
            return Ok(false);
        }
        self.rows.resize(vector.len(), None);
        let mut rest = vector;
        for column in 0..rest.len() {
            if rest[column] == 0 {
                continue;
            }
            if rest.iter().any(|entry| entry.unsigned_abs() > LARGEST) {
                rest = primitive(rest)?;
            }
            let Some(row) = &self.rows[column] else {
                self.rows[column] = Some(primitive(rest)?);
                self.size += 1;
                return Ok(true);
            };
            rest = cleared(&rest, row, column)?;
        }
        Ok(false)
    }

    fn basis(self) -> Result<Basis, TooLarge> {
        let mut done: Vec<(usize, Vector)> = Vec::with_capacity(self.size);
        for (column, row) in self.rows.into_iter().enumerate().rev() {
            let Some(mut row) = row else { continue };
            for (other, below) in done.iter().rev() {
                if row[*other] != 0 {
                    row = cleared(&row, below, *other)?;
                }
            }
            done.push((column, primitive(row)?));
        }
        Ok(done.into_iter().rev().map(|(_, row)| row).collect())
    }
}

/// A multiple of a vector minus one of a row, such that nothing is left in a column; with small
/// entries, if both have them.
fn cleared(vector: &[i128], row: &[i128], column: usize) -> Result<Vector, TooLarge> {
    let common = gcd(vector[column].unsigned_abs(), row[column].unsigned_abs()).cast_signed();
    let (mine, yours) = (row[column] / common, vector[column] / common);
    let rest: Vector = vector.iter().zip(row).map(|(&x, &y)| mine * x - yours * y).collect();
    if rest.iter().all(|entry| entry.unsigned_abs() <= LARGEST) {
        Ok(rest)
    } else {
        primitive(rest)
    }
}

/// A vector scaled to coprime entries of which the first is positive; zero as it is.
fn primitive(mut vector: Vector) -> Result<Vector, TooLarge> {
    let common = vector.iter().fold(0u128, |common, entry| gcd(common, entry.unsigned_abs()));
    let Some(&first) = vector.iter().find(|&&entry| entry != 0) else { return Ok(vector) };
    let divisor = i128::try_from(common).map_err(|_| TooLarge)? * first.signum();
    for entry in &mut vector {
        *entry /= divisor;
        if entry.unsigned_abs() > LARGEST {
            return Err(TooLarge);
        }
    }
    Ok(vector)
}

/// A module over the integers modulo m. By column, the row that begins there: with a divisor of m,
/// and such that whatever begins later is spanned by later rows (the first two conditions of
/// Howell's form).
#[derive(Debug)]
struct ModularSpan {
    modulus: u128,
    rows: Vec<Option<Vector>>,
}

impl ModularSpan {
    fn modulo(modulus: u128) -> Self {
        Self { modulus, rows: Vec::new() }
    }

    /// Whether the vector was not in the span, which it is from now on.
    fn insert(&mut self, vector: Vector) -> bool {
        self.rows.resize(vector.len(), None);
        let mut changed = false;
        let mut waiting = vec![vector];
        while let Some(mut rest) = waiting.pop() {
            for column in 0..rest.len() {
                if rest[column] == 0 || !self.enter(&mut rest, column) {
                    continue;
                }
                changed = true;
                // The first entry of this multiple vanishes; it must be spanned by later rows.
                let row = self.rows[column].as_ref().expect("the row that was entered");
                waiting.push(self.multiple(row, self.modulus / row[column].cast_unsigned()));
            }
        }
        changed
    }

    /// Clears the first entry of a vector, which is in this column; whether another row begins
    /// there from now on.
    fn enter(&mut self, rest: &mut Vector, column: usize) -> bool {
        let entry = rest[column].cast_unsigned();
        let entered = match &self.rows[column] {
            None => {
                let row = self.multiple(rest, unit(entry, self.modulus));
                rest.fill(0);
                row
            }
            Some(row) if entry.is_multiple_of(row[column].cast_unsigned()) => {
                *rest = self.minus(rest, entry / row[column].cast_unsigned(), row);
                return false;
            }
            Some(row) => {
                let (first, second) = self.exchanged(row, rest, column);
                *rest = second;
                first
            }
        };
        self.rows[column] = Some(entered);
        true
    }

    /// Two vectors with the same span, of which the first begins with the common divisor of both,
    /// and the second has 0 there: they are multiplied with a matrix of determinant 1.
    fn exchanged(&self, row: &[i128], rest: &[i128], column: usize) -> (Vector, Vector) {
        let (x, y) = (row[column].cast_unsigned(), rest[column].cast_unsigned());
        let common = gcd(x, y);
        // s x + t y = common, with t from 0 to x / common, so modulo m: s = (common - t y) / x.
        let t = inverse(y / common, x / common);
        let s = (t * (y / common) - 1) / (x / common);
        let first = self.minus(&self.multiple(rest, t), s, row);
        let second = self.minus(&self.multiple(rest, x / common), y / common, row);
        (first, second)
    }

    fn basis(self) -> Basis {
        let mut done: Vec<(usize, Vector)> = Vec::new();
        for (column, row) in self.rows.iter().enumerate().rev() {
            let Some(row) = row else { continue };
            let mut row = row.clone();
            for (other, below) in done.iter().rev() {
                let factor = row[*other] / below[*other];
                if factor != 0 {
                    row = self.minus(&row, factor.cast_unsigned(), below);
                }
            }
            done.push((column, row));
        }
        done.into_iter().rev().map(|(_, row)| row).collect()
    }

    fn multiple(&self, vector: &[i128], factor: u128) -> Vector {
        let factor = factor % self.modulus;
        vector
            .iter()
            .map(|&entry| (factor * entry.cast_unsigned() % self.modulus).cast_signed())
            .collect()
    }

    fn minus(&self, vector: &[i128], factor: u128, row: &[i128]) -> Vector {
        let factor = factor % self.modulus;
        let subtract = |(&x, &y): (&i128, &i128)| {
            let product = factor * y.cast_unsigned() % self.modulus;
            ((x.cast_unsigned() + self.modulus - product) % self.modulus).cast_signed()
        };
        vector.iter().zip(row).map(subtract).collect()
    }
}

/// An invertible number whose product with an entry is its common divisor with the modulus.
fn unit(entry: u128, modulus: u128) -> u128 {
    let common = gcd(entry, modulus);
    let rest = modulus / common;
    let mut unit = inverse(entry / common, rest);
    while gcd(unit, modulus) != 1 {
        unit += rest;
    }
    unit
}

/// The inverse of a number modulo one that is coprime to it; 0 modulo 1.
fn inverse(number: u128, modulus: u128) -> u128 {
    let whole = modulus.cast_signed();
    let (mut old, mut new) = ((whole, 0), ((number % modulus).cast_signed(), 1));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(whole).cast_unsigned()
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
