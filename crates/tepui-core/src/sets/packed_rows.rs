//! Rows of numbers in few bits, as certificates have them: each row takes the same number of bytes,
//! its entries one after another from the lowest bit on.

/// Packed rows, and how many bits each entry of a row has.
pub struct PackedRows {
    /// How many rows there are.
    pub count: usize,
    /// For each entry of a row, how many bits it has.
    pub bits: Vec<u32>,
    /// All rows, one after another.
    pub data: Vec<u8>,
}

/// Pack rows of the same length. They are gone through twice, as the largest entries come first.
pub fn packed<Rows: Iterator<Item = Vec<u32>>>(
    width: usize,
    rows: impl Fn() -> Rows,
) -> PackedRows {
    let (mut largest, mut count) = (vec![0; width], 0);
    for row in rows() {
        count += 1;
        for (most, entry) in largest.iter_mut().zip(row) {
            *most = entry.max(*most);
        }
    }
    let bits: Vec<u32> = largest.into_iter().map(|most| u32::BITS - most.leading_zeros()).collect();
    let bytes = bits.iter().map(|&bits| bits as usize).sum::<usize>().div_ceil(8);
    let mut data = Vec::with_capacity(count * bytes);
    for row in rows() {
        let (mut loaded, mut present) = (0_u64, 0);
        for (entry, bits) in row.into_iter().zip(&bits) {
            loaded |= u64::from(entry) << present;
            present += bits;
            while present >= 8 {
                data.push(loaded as u8);
                loaded >>= 8;
                present -= 8;
            }
        }
        if present > 0 {
            data.push(loaded as u8);
        }
    }
    PackedRows { count, bits, data }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_follow_each_other_from_the_lowest_bit_on() {
        let rows = [vec![5, 0, 53], vec![0, 0, 257], vec![1, 0, 0]];
        let packed = packed(3, || rows.iter().cloned());
        assert_eq!(packed.count, 3);
        assert_eq!(packed.bits, [3, 0, 9]);
        assert_eq!(packed.data, [0b1010_1101, 1, 0b0000_1000, 8, 1, 0]);
    }
}
