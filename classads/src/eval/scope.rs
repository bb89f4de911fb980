//! Where a name is looked up, and values that still know where they are.

use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use crate::ad::ClassAd;
use crate::expr::Expr;
use crate::name::Name;
use crate::number;
use crate::value::{List, Value};

/// The ad an expression is evaluated in, and the ads around that one.
#[derive(Clone)]
pub(crate) enum Scope<'a> {
    /// An ad given by the caller, and what is around it in a match.
    Top { ad: &'a ClassAd, matched: Option<Rc<Matched<'a>>> },
    /// The ad that HTCondor puts around two ads that match.
    Match(Rc<Pair<'a>>),
    /// An ad inside another.
    Nested(Rc<Frame<'a>>),
    /// Around what a function made, or what is written in no ad, there is nothing; `root` may be
    /// known nevertheless.
    Made(Option<Rc<Scope<'a>>>),
    /// An ad in which an expression is evaluated that is written elsewhere.
    Visited(Rc<Visit<'a>>),
    /// That of a list or ad which a name in brackets found, `ad["name"]`.
    Named(Rc<Scope<'a>>),
}

pub(crate) struct Visit<'a> {
    ad: Scope<'a>,
    /// Around the ads that are written in the expression.
    home: Scope<'a>,
}

/// The two ads of a match.
pub(crate) struct Pair<'a> {
    left: &'a ClassAd,
    right: &'a ClassAd,
}

/// One side of a match.
pub(crate) struct Matched<'a> {
    pair: Rc<Pair<'a>>,
    side: Side,
    /// The ad around it that knows which is which.
    context: Scope<'a>,
}

/// The ad that is evaluated is the left one.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// The ads around a match, as HTCondor's src/classad/matchClassad.cpp makes them: around both,
/// around the left one, around the right one.
static MATCH: LazyLock<ClassAd> = LazyLock::new(|| {
    let mut ad = ClassAd::parse(
        "[ symmetricMatch = RIGHT.requirements && LEFT.requirements; leftMatchesRight = RIGHT.requirements;
           rightMatchesLeft = LEFT.requirements; leftRankValue = LEFT.rank; rightRankValue = RIGHT.rank;
           LEFT = undefined; RIGHT = undefined ]",
    )
    .unwrap_or_default();
    ad.insert_value("lCtx", Value::ClassAd(Arc::clone(&LEFT_CONTEXT)));
    ad.insert_value("rCtx", Value::ClassAd(Arc::clone(&RIGHT_CONTEXT)));
    ad
});
static LEFT_CONTEXT: LazyLock<Arc<ClassAd>> =
    LazyLock::new(|| context("[ other = .RIGHT; target = .RIGHT; my = .LEFT; ad = .LEFT ]"));
static RIGHT_CONTEXT: LazyLock<Arc<ClassAd>> =
    LazyLock::new(|| context("[ other = .LEFT; target = .LEFT; my = .RIGHT; ad = .RIGHT ]"));

fn context(text: &str) -> Arc<ClassAd> {
    Arc::new(ClassAd::parse(text).unwrap_or_default())
}

impl<'a> Pair<'a> {
    fn ad(&self, side: Side) -> &'a ClassAd {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    fn top(self: &Rc<Self>, side: Side) -> Scope<'a> {
        let context = Scope::Match(Rc::clone(self)).nested(match side {
            Side::Left => &LEFT_CONTEXT,
            Side::Right => &RIGHT_CONTEXT,
        });
        let matched = Matched { pair: Rc::clone(self), side, context };
        Scope::Top { ad: self.ad(side), matched: Some(Rc::new(matched)) }
    }
}

/// What names are looked up in where there is no ad.
static EMPTY: LazyLock<ClassAd> = LazyLock::new(ClassAd::new);

pub(crate) struct Frame<'a> {
    pub(crate) ad: Arc<ClassAd>,
    pub(crate) parent: Scope<'a>,
}

impl<'a> Scope<'a> {
    /// An ad given by the caller, and the other ad of the match if there is one.
    pub(crate) fn top(ad: &'a ClassAd, other: Option<&'a ClassAd>) -> Scope<'a> {
        match other {
            None => Scope::Top { ad, matched: None },
            Some(other) => Rc::new(Pair { left: ad, right: other }).top(Side::Left),
        }
    }

    /// The ad behind a name that only the ad around a match has.
    pub(crate) fn side(&self, name: &Name) -> Option<Scope<'a>> {
        let Scope::Match(pair) = self else { return None };
        if name.is("LEFT") {
            Some(pair.top(Side::Left))
        } else if name.is("RIGHT") {
            Some(pair.top(Side::Right))
        } else {
            None
        }
    }

    pub(crate) fn nested(&self, ad: &Arc<ClassAd>) -> Scope<'a> {
        Scope::Nested(Rc::new(Frame { ad: Arc::clone(ad), parent: self.home().clone() }))
    }

    /// Around the ads that are written in the expression.
    fn home(&self) -> &Scope<'a> {
        match self {
            Scope::Visited(visit) => &visit.home,
            Scope::Named(scope) => scope.home(),
            here => here,
        }
    }

    /// The ad for an expression that is written in `home`.
    pub(crate) fn visited_from(self, home: &Scope<'a>) -> Scope<'a> {
        Scope::Visited(Rc::new(Visit { ad: self, home: home.home().clone() }))
    }

    /// Where names in the elements of a list are looked up by a function that is called here: here,
    /// not where the list is written; an ad in it knows where it is written.
    pub(crate) fn of_elements(&self, home: &Scope<'a>) -> Scope<'a> {
        let home = home.unnamed();
        match (self, home) {
            (_, Scope::Made(root)) => Scope::Made(root.clone()),
            (Scope::Top { ad: here, .. }, Scope::Top { ad: there, .. })
                if std::ptr::eq(*here, *there) =>
            {
                home.clone()
            }
            _ => self.own().clone().visited_from(home),
        }
    }

    /// The ad for its own expressions.
    pub(crate) fn own(&self) -> &Scope<'a> {
        match self {
            Scope::Visited(visit) => visit.ad.own(),
            Scope::Named(scope) => scope.own(),
            here => here,
        }
    }

    /// The scope itself, however the value was found.
    pub(crate) fn unnamed(&self) -> &Scope<'a> {
        match self {
            Scope::Named(scope) => scope.unnamed(),
            here => here,
        }
    }

    pub(crate) fn ad(&self) -> &ClassAd {
        match self {
            Scope::Top { ad, .. } => ad,
            Scope::Nested(frame) => &frame.ad,
            Scope::Made(_) => &EMPTY,
            Scope::Match(_) => &MATCH,
            Scope::Visited(visit) => visit.ad.ad(),
            Scope::Named(scope) => scope.ad(),
        }
    }

    /// Bytes of memory of the ad as a value.
    pub(crate) fn size(&self) -> usize {
        match self.own() {
            Scope::Match(pair) => pair.left.size().saturating_add(pair.right.size()),
            here => here.ad().size(),
        }
    }

    /// Nothing is around it.
    pub(crate) fn is_made(&self) -> bool {
        matches!(self, Scope::Made(_))
    }

    /// Its list or ad is of the type that HTCondor gives what functions make, and what a name in
    /// brackets finds (`SLIST_VALUE`, `SCLASSAD_VALUE`).
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Scope::Made(_) | Scope::Named(_))
    }

    pub(crate) fn parent(&self) -> Option<&Scope<'a>> {
        match self.own() {
            Scope::Nested(frame) if !frame.parent.is_made() => Some(&frame.parent),
            Scope::Top { matched: Some(matched), .. } => Some(&matched.context),
            _ => None,
        }
    }

    pub(crate) fn root(&self) -> &Scope<'a> {
        let mut scope = self.own();
        while let Some(parent) = scope.parent() {
            scope = parent;
        }
        match scope {
            Scope::Nested(frame) => match &frame.parent {
                Scope::Made(Some(root)) => root,
                _ => scope,
            },
            _ => scope,
        }
    }

    /// The other ad of a match, where this is one of the two.
    pub(crate) fn other_of_top(&self) -> Option<Scope<'a>> {
        let Scope::Top { matched: Some(matched), .. } = self.own() else { return None };
        Some(matched.pair.top(match matched.side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }))
    }
}

/// A value during evaluation: lists and ads remember the ads around them.
#[derive(Clone)]
pub(crate) enum Val<'a> {
    /// Neither list nor ad.
    Plain(Value),
    List(List, Scope<'a>),
    /// The innermost ad of the scope.
    Ad(Scope<'a>),
}

impl<'a> Val<'a> {
    pub(crate) const UNDEFINED: Val<'static> = Val::Plain(Value::Undefined);
    pub(crate) const ERROR: Val<'static> = Val::Plain(Value::Error);

    /// The value of a constant that lies in `scope`.
    pub(crate) fn of(value: &Value, scope: &Scope<'a>) -> Val<'a> {
        match value {
            Value::List(elements) => Val::List(Arc::clone(elements), scope.clone()),
            Value::ClassAd(ad) => Val::Ad(scope.nested(ad)),
            // A constant `relTime("...")` is a real to HTCondor once it is evaluated.
            Value::RelativeTime(seconds) => Val::Plain(Value::Real(*seconds)),
            plain => Val::Plain(plain.clone()),
        }
    }

    /// The value for the outside, without the ads around it.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Val::Plain(value) => value,
            Val::List(elements, _) => Value::List(elements),
            Val::Ad(Scope::Top { ad, .. }) => Value::ClassAd(Arc::new(ad.clone())),
            Val::Ad(Scope::Nested(frame)) => Value::ClassAd(Arc::clone(&frame.ad)),
            Val::Ad(Scope::Made(_)) => Value::ClassAd(Arc::default()),
            Val::Ad(Scope::Match(pair)) => {
                let mut ad = MATCH.clone();
                ad.insert_value("LEFT", Value::ClassAd(Arc::new(pair.left.clone())));
                ad.insert_value("RIGHT", Value::ClassAd(Arc::new(pair.right.clone())));
                Value::ClassAd(Arc::new(ad))
            }
            Val::Ad(Scope::Visited(visit)) => Val::Ad(visit.ad.clone()).into_value(),
            Val::Ad(Scope::Named(scope)) => Val::Ad(scope.as_ref().clone()).into_value(),
        }
    }

    /// The value as a name in brackets finds it.
    pub(crate) fn named(self) -> Val<'a> {
        let named = |scope: Scope<'a>| {
            if scope.is_shared() { scope } else { Scope::Named(Rc::new(scope)) }
        };
        match self {
            Val::Plain(value) => Val::Plain(value),
            Val::List(elements, scope) => Val::List(elements, named(scope)),
            Val::Ad(scope) => Val::Ad(named(scope)),
        }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, Val::Plain(Value::Undefined))
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Val::Plain(Value::Error))
    }

    pub(crate) fn as_plain(&self) -> Option<&Value> {
        if let Val::Plain(value) = self { Some(value) } else { None }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        self.as_plain().and_then(Value::as_str)
    }

    pub(crate) fn as_condition(&self) -> Option<bool> {
        self.as_plain().and_then(Value::as_condition)
    }

    /// A value that a function made.
    pub(crate) fn made(value: Value) -> Val<'a> {
        match value {
            Value::List(elements) => Val::List(elements, Scope::Made(None)),
            plain => Val::Plain(plain),
        }
    }

    /// A list that a function made.
    pub(crate) fn list(elements: impl IntoIterator<Item = Value>) -> Val<'a> {
        Val::List(literals(elements), Scope::Made(None))
    }
}

/// Values as constants; a relative time loses its fraction.
pub(crate) fn literals(values: impl IntoIterator<Item = Value>) -> List {
    let literal = |value| match value {
        Value::RelativeTime(seconds) => {
            Expr::literal(Value::RelativeTime(number::whole_seconds(seconds)))
        }
        other => Expr::literal(other),
    };
    values.into_iter().map(literal).collect()
}

impl<V: Into<Value>> From<V> for Val<'_> {
    fn from(value: V) -> Self {
        Val::Plain(value.into())
    }
}
