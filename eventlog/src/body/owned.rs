//! Typed fields that borrow nothing from the log.

use super::*;

/// Takes a part of a body away from the log.
pub(crate) trait Own {
    type Owned;

    fn own(self) -> Self::Owned;
}

impl Own for Text<'_> {
    type Owned = Text<'static>;

    fn own(self) -> Text<'static> {
        Text::Owned(self.into_owned())
    }
}

impl<T: Own> Own for Option<T> {
    type Owned = Option<T::Owned>;

    fn own(self) -> Self::Owned {
        self.map(T::own)
    }
}

impl<T: Own> Own for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn own(self) -> Self::Owned {
        self.into_iter().map(T::own).collect()
    }
}

impl<T: Own> Own for [T; 3] {
    type Owned = [T::Owned; 3];

    fn own(self) -> Self::Owned {
        self.map(T::own)
    }
}

impl<A: Own, B: Own> Own for (A, B) {
    type Owned = (A::Owned, B::Owned);

    fn own(self) -> Self::Owned {
        (self.0.own(), self.1.own())
    }
}

macro_rules! borrows_nothing {
    ($($part:ty,)*) => {
        $(impl Own for $part {
            type Owned = Self;

            fn own(self) -> Self {
                self
            }
        })*
    };
}

borrows_nothing! {
    bool, u16, i32, i64, u64, f64, CpuUsage, FileTransferKind,
    ExecutableError, Checkpointed, ImageSize, Suspended,
}

/// Fields that borrow from the log, and how they are taken away from it.
macro_rules! borrowing {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident<'a> {
            $($(#[$doc:meta])* pub $field:ident: $type:ty,)*
        }
    )*) => {$(
        $(#[$about])*
        pub struct $name<'a> {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Own for $name<'_> {
            type Owned = $name<'static>;

            fn own(self) -> Self::Owned {
                let Self { $($field),* } = self;
                $name { $($field: $field.own()),* }
            }
        }
    )*};
}
