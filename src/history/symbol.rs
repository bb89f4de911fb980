//! Names kept once: owners, hosts, sites, servers, reasons.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use foldhash::fast::RandomState;

/// A name of a [`Symbols`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(NonZeroU32);

impl Symbol {
    fn at(place: usize) -> Self {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        Self(NonZeroU32::MIN.saturating_add(place))
    }

    /// Its place in the table.
    pub const fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// A table of names. Each is kept once, however many events carry it.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Symbol, RandomState>,
}

impl Symbols {
    /// The symbol of `name`, new or known.
    pub fn intern(&mut self, name: &str) -> Symbol {
        match self.numbers.get(name) {
            Some(&symbol) => symbol,
            None => self.intern_shared(name.into()),
        }
    }

    fn intern_shared(&mut self, name: Arc<str>) -> Symbol {
        let next = Symbol::at(self.names.len());
        let symbol = *self.numbers.entry(Arc::clone(&name)).or_insert(next);
        if symbol == next {
            self.names.push(name);
        }
        symbol
    }

    /// The symbol here of a name of another table.
    pub(super) fn intern_of(&mut self, other: &Self, symbol: Symbol) -> Symbol {
        self.intern_shared(other.shared(symbol))
    }

    /// The symbols here of all names of another table, by the numbers they have there.
    pub(super) fn intern_all(&mut self, other: &Self) -> impl Iterator<Item = Symbol> {
        other.names.iter().map(|name| self.intern_shared(Arc::clone(name)))
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The symbol of `name` if it was ever seen.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.numbers.get(name).copied()
    }

    /// The name of a symbol of this table, to keep.
    pub(super) fn shared(&self, symbol: Symbol) -> Arc<str> {
        self.names.get(symbol.number() as usize).map_or_else(|| "".into(), Arc::clone)
    }

    /// The name of a symbol of this table.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.number() as usize).map_or("", |name| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut symbols = Symbols::default();
        let alice = symbols.intern("alice");
        assert_ne!(alice, symbols.intern("bob"));
        assert_eq!(alice, symbols.intern("alice"));
        assert_eq!(symbols.name(alice), "alice");
        assert_eq!(symbols.find("carol"), None);
    }
}
