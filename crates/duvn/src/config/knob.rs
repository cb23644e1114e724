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
        "a whole number".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.replace('_', "").parse().ok()
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
    /// The value where nothing is written.
    pub default: String,
}

/// Declares the configuration struct, its defaults, and the table of its knobs, from one list.
macro_rules! knobs {
    ($(#[$attribute:meta])* pub struct $name:ident {
        $(#[doc = $doc:literal] $field:ident: $type:ty = $default:expr,)*
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
                    default: $crate::config::KnobValue::show(&defaults.$field),
                },)*]
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
