//! A knob: one named setting of an agent, which a user writes as text.

/// A type that a knob can have.
pub trait KnobValue: Sized {
    /// What to write, for help and error messages.
    fn expects() -> String;
    /// Reads what a user wrote.
    fn parse(text: &str) -> Option<Self>;
    /// Writes it so that [`parse`](Self::parse) reads the same value.
    fn show(&self) -> String;
}

impl KnobValue for f64 {
    fn expects() -> String {
        "a number".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl KnobValue for usize {
    fn expects() -> String {
        super::COUNT.into()
    }

    fn parse(text: &str) -> Option<Self> {
        super::parse_count(text).and_then(|count| count.try_into().ok())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl KnobValue for bool {
    fn expects() -> String {
        "true|false".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl KnobValue for Vec<usize> {
    fn expects() -> String {
        "a list such as [128,128]".into()
    }

    fn parse(text: &str) -> Option<Self> {
        let inner = match text.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']')?,
            None => text,
        };
        if inner.trim().is_empty() {
            return Some(Vec::new());
        }
        inner.split(',').map(|part| usize::parse(part.trim())).collect()
    }

    fn show(&self) -> String {
        let numbers: Vec<_> = self.iter().map(ToString::to_string).collect();
        format!("[{}]", numbers.join(","))
    }
}

/// What help and error messages say of a knob.
pub struct Knob {
    /// The name that a user writes.
    pub name: &'static str,
    /// One line that says what it does.
    pub about: &'static str,
    /// What may be written.
    pub expects: String,
    /// The values that are allowed; empty where the type says it all.
    pub limit: String,
    /// The value where nothing is written.
    pub default: String,
    /// What else it takes for the knob to have an effect.
    pub needs: super::Need,
    /// The version that it came with, if that is not the first. At its default it does what was done before there was such
    /// a knob, and runs are described without it.
    pub since: Option<&'static str>,
}

/// Declares the configuration struct, its defaults, and the table of its knobs, from one list. Each knob has a line of documentation,
/// a type and a default; then, if need be, `in` which limits it must be, what it `needs` to have an effect, and `since` which
/// version there is such a knob.
macro_rules! knobs {
    (@limit) => { &Any };
    (@limit $limit:expr) => { &$limit };
    (@need) => { NOTHING };
    (@need $need:ident) => { $need };
    (@since) => { None };
    (@since $since:literal) => { Some($since) };
    ($(#[$attribute:meta])* pub struct $name:ident {
        $(#[doc = $doc:literal] $field:ident: $type:ty = $default:expr
            $(, in $limit:expr)? $(, needs $need:ident)? $(, since $since:literal)?;)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $(#[doc = $doc] pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $name {
            /// Every knob, in order.
            pub fn knobs() -> Vec<$crate::config::Knob> {
                let defaults = $name::default();
                vec![$($crate::config::Knob {
                    name: stringify!($field),
                    about: $doc.trim(),
                    expects: <$type as $crate::config::KnobValue>::expects(),
                    limit: Limit::<$type>::says(knobs!(@limit $($limit)?)),
                    default: $crate::config::KnobValue::show(&defaults.$field),
                    needs: knobs!(@need $($need)?),
                    since: knobs!(@since $($since)?),
                },)*]
            }

            /// Whether every knob is within its limits.
            fn check_limits(&self) -> Result<(), ConfigError> {
                $(let limit: &dyn Limit<$type> = knobs!(@limit $($limit)?);
                if !limit.allows(&self.$field) {
                    return Err(self.out_of_range(stringify!($field), format!("write {}", limit.says())));
                })*
                Ok(())
            }

            /// The name and the written value of every knob, in order.
            pub fn entries(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($field), $crate::config::KnobValue::show(&self.$field)),)*]
            }

            /// Sets the knob `key` to what `text` says.
            pub fn set(&mut self, key: &str, text: &str) -> Result<(), $crate::config::ConfigError> {
                match key {
                    $(stringify!($field) => match $crate::config::KnobValue::parse(text.trim()) {
                        Some(value) => self.$field = value,
                        None => return Err($crate::config::ConfigError::Value {
                            key: key.into(),
                            text: text.into(),
                            expects: <$type as $crate::config::KnobValue>::expects(),
                        }),
                    },)*
                    _ => return Err($crate::config::ConfigError::unknown_key(key)),
                }
                Ok(())
            }
        }
    };
}
