//! A cursor over a text in JSON, for readers that know what must come next.
//!
//! Nothing is returned where something else comes, or something unusual: halves of surrogate pairs,
//! fractions, numbers of more than 64 bits. What a reader skips is not checked, except that its
//! brackets and strings end.

use std::borrow::Cow;

/// A place in a text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// How many bytes are before the next sign.
    pub(super) fn offset(&mut self) -> usize {
        let blanks = self.rest().iter().take_while(|byte| b" \t\n\r".contains(byte)).count();
        self.at += blanks;
        self.at
    }

    /// The next sign.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let at = self.offset();
        self.text.as_bytes().get(at).copied()
    }

    /// Go on behind a sign, if it is the next one.
    pub(super) fn accept(&mut self, sign: u8) -> bool {
        let is_next = self.peek() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Go on behind a sign, which must be the next one.
    pub(super) fn expect(&mut self, sign: u8) -> Option<()> {
        self.accept(sign).then_some(())
    }

    /// Visit the value of each member of an object.
    pub(super) fn members(
        &mut self,
        mut visit: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        self.parts(b'{', b'}', |cursor| {
            let key = cursor.string()?;
            cursor.expect(b':')?;
            visit(cursor, key)
        })
    }

    /// Visit each item of a list.
    pub(super) fn items(&mut self, visit: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.parts(b'[', b']', visit)
    }

    /// Go into an object, to the value of the first member with one of these keys: its place among
    /// them.
    pub(super) fn find(&mut self, keys: &[&str]) -> Option<usize> {
        self.expect(b'{')?;
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            if let Some(place) = keys.iter().position(|&wanted| wanted == key) {
                return Some(place);
            }
            self.skip()?;
            self.expect(b',')?;
        }
    }

    /// A string.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let plain = self.plain()?;
        if self.accept(b'"') {
            return Some(Cow::Borrowed(plain));
        }
        let mut found = plain.to_owned();
        while self.rest().first() == Some(&b'\\') {
            found.push(self.escaped()?);
            found.push_str(self.plain()?);
        }
        self.at += 1;
        Some(Cow::Owned(found))
    }

    /// An integer.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let from = self.offset();
        let length = self.rest().iter().take_while(|&&byte| is_in_number(byte)).count();
        self.at += length;
        let digits = &self.text[from..self.at];
        let natural = digits.strip_prefix('-').unwrap_or(digits);
        let is_integer = natural.bytes().all(|byte| byte.is_ascii_digit());
        let is_padded = natural.len() > 1 && natural.starts_with('0');
        if is_integer && !is_padded { digits.parse().ok() } else { None }
    }

    /// Go on behind a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        let mut depth = 0;
        loop {
            match self.peek()? {
                b'"' => self.skip_string()?,
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b'}' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                byte if is_in_word(byte) => {
                    self.at += self.rest().iter().take_while(|&&byte| is_in_word(byte)).count();
                }
                _ => return None,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn skip_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += self.rest().iter().position(|byte| b"\"\\".contains(byte))?;
            if self.rest()[0] == b'"' {
                self.at += 1;
                return Some(());
            }
            self.at += 2;
        }
    }

    /// Visit everything between two brackets.
    fn parts(
        &mut self,
        open: u8,
        close: u8,
        mut visit: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(open)?;
        if self.accept(close) {
            return Some(());
        }
        loop {
            visit(self)?;
            if self.accept(close) {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    /// What is before the next quote or escape of a string.
    fn plain(&mut self) -> Option<&'a str> {
        let is_end = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
        let from = self.at;
        self.at += self.rest().iter().position(is_end)?;
        (self.rest()[0] >= b' ').then(|| &self.text[from..self.at])
    }

    fn escaped(&mut self) -> Option<char> {
        let letter = *self.rest().get(1)?;
        self.at += 2;
        Some(match letter {
            b'"' | b'\\' | b'/' => letter.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                self.at += 4;
                let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
                char::from_u32(code)?
            }
            _ => return None,
        })
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }
}

fn is_in_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)
}

/// Of a number, of `true`, `false` or `null`, or of something that is no JSON.
fn is_in_word(byte: u8) -> bool {
    !b" \t\n\r\",:[]{}".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_with_their_escapes() {
        let read = |text| Cursor::new(text).string().map(Cow::into_owned);
        assert_eq!(read(r#" "a b" "#).as_deref(), Some("a b"));
        assert_eq!(
            read(r#""\"\\\/\b\f\n\r\t\u00e9é""#).as_deref(),
            Some("\"\\/\u{8}\u{c}\n\r\téé")
        );
        for unusual in ["a", "\"a", "\"a\\", "\"\t\"", r#""\x""#, r#""\ud800""#, r#""\u+123""#] {
            assert_eq!(read(unusual), None, "{unusual}");
        }
    }

    #[test]
    fn integers_are_read_if_they_fit() {
        let read = |text| Cursor::new(text).integer();
        assert_eq!(read(" -12,"), Some(-12));
        assert_eq!(read("-0"), Some(0));
        assert_eq!(read("9223372036854775807]"), Some(i64::MAX));
        for unusual in ["", "-", "+1", "01", "1.0", "1e3", "9223372036854775808", "NaN", "é"] {
            assert_eq!(read(unusual), None, "{unusual}");
        }
    }

    #[test]
    fn a_value_is_skipped_with_all_that_is_in_it() {
        for value in ["7", "null", r#""]\"}""#, "[]", r#"{"a": [1, {"b": "é"}], "c": -1e5}"#] {
            let text = format!(" {value} , 1");
            let mut cursor = Cursor::new(&text);
            assert_eq!(cursor.skip().and_then(|()| cursor.expect(b',')), Some(()), "{value}");
        }
        for open in ["", "[", "]", "\"a", "{\"a\\\"", ","] {
            assert_eq!(Cursor::new(open).skip(), None, "{open}");
        }
    }

    #[test]
    fn a_member_is_found_behind_others() {
        let mut cursor = Cursor::new(r#"{"a": {"c": 1}, "b": [2], "c": 3}"#);
        assert_eq!(cursor.find(&["b", "c"]), Some(0));
        assert_eq!(cursor.peek(), Some(b'['));
        assert_eq!(Cursor::new(r#"{"a": 1}"#).find(&["b"]), None);
    }
}
