//! The look of each method: the same colour, dash and marker in every figure. The colours are told apart
//! by the colour-blind (Okabe and Ito's set); dash and marker tell them apart in grey.

pub use duvn_envs::canvas::Colour;

/// Text and axes.
pub(super) const INK: Colour = Colour(0x26, 0x26, 0x26);
/// What should not draw the eye: footers, reference lines.
pub(super) const FAINT: Colour = Colour(0x6b, 0x6b, 0x6b);
/// Grid lines.
pub(super) const GRID: Colour = Colour(0xe8, 0xe8, 0xe8);
/// The background.
pub(super) const PAPER: Colour = Colour(0xff, 0xff, 0xff);

/// How a line is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dash {
    /// Not at all.
    Solid,
    /// Long strokes.
    Dashed,
    /// Short strokes.
    Short,
    /// Dots.
    Dotted,
    /// A stroke and a dot.
    DashDot,
    /// A stroke and two dots.
    DashDotDot,
    /// Very long strokes.
    Long,
}

impl Dash {
    /// The lengths of strokes and gaps in turn; empty where the line is whole.
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[6.0, 2.5],
            Dash::Short => &[3.0, 1.8],
            Dash::Dotted => &[1.2, 1.8],
            Dash::DashDot => &[6.0, 2.0, 1.2, 2.0],
            Dash::DashDotDot => &[6.0, 2.0, 1.2, 2.0, 1.2, 2.0],
            Dash::Long => &[11.0, 2.5],
        }
    }
}

/// The sign of a data point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Marker {
    Circle,
    Square,
    TriangleUp,
    TriangleDown,
    Diamond,
    Cross,
    Plus,
    Star,
    /// A triangle that is not filled: what lies beyond.
    OpenTriangle,
}

/// The look of a curve, of points, or of bars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// The colour of everything.
    pub colour: Colour,
    /// How its line is broken.
    pub dash: Dash,
    /// The sign of its points.
    pub marker: Marker,
    /// The width of its line.
    pub width: f64,
}

/// A style a method: name in configs, name in figures, look.
const METHODS: [(&str, &str, Style); 8] = [
    ("egreedy", "ε-greedy", style(0x808080, Dash::Dotted, Marker::Circle)),
    ("boltzmann", "Boltzmann", style(0x56b4e9, Dash::DashDot, Marker::Plus)),
    ("parametric", "parametric", style(0x009e73, Dash::Dashed, Marker::Square)),
    ("return", "return", style(0x0072b2, Dash::Long, Marker::TriangleDown)),
    ("duvn", "DUVN", style(0xd55e00, Dash::Solid, Marker::Diamond)),
    ("duvn-deep", "DUVN-deep", style(0x000000, Dash::Solid, Marker::TriangleUp)),
    ("bootdqn", "BootDQN", style(0xcc79a7, Dash::DashDotDot, Marker::Cross)),
    ("ube", "UBE", style(0xe69f00, Dash::Short, Marker::Star)),
];

/// The other reading and the other loop of a method of the paper, each in the colour of its kin, and what methods are held
/// against. They are a list of their own because the looks of methods that are in no list depend on how many the first one has.
const VARIANTS: [(&str, &str, Style); 7] = [
    ("return-draw", "return-draw", style(0x0072b2, Dash::Short, Marker::TriangleUp)),
    ("duvn-draw", "DUVN-draw", style(0xd55e00, Dash::Dashed, Marker::Star)),
    ("authors", "DUVN, authors' loop", style(0x882255, Dash::Solid, Marker::Cross)),
    ("authors-egreedy", "ε-greedy, authors' loop", style(0x404040, Dash::Dotted, Marker::Plus)),
    ("uniform", "uniform", style(0x6b4c3a, Dash::Dotted, Marker::Cross)),
    ("bsuite's dqn", "bsuite's dqn", style(0x332288, Dash::Short, Marker::Square)),
    ("bsuite's boot_dqn", "bsuite's boot_dqn", style(0xcc79a7, Dash::DashDot, Marker::Circle)),
];

const fn style(rgb: u32, dash: Dash, marker: Marker) -> Style {
    Style { colour: Colour::hex(rgb), dash, marker, width: 1.6 }
}

/// A style with its name in the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; what has none is not in the legend.
    pub name: String,
    /// The look.
    pub style: Style,
}

impl Series {
    /// The series of a method, by its preset's name. A method that is not in the table gets a style that
    /// depends on its name alone, so that it too looks the same everywhere.
    pub fn method(preset: &str) -> Self {
        let mut known = METHODS.iter().chain(&VARIANTS);
        if let Some((_, name, style)) = known.find(|(known, ..)| *known == preset) {
            return Series { name: (*name).into(), style: *style };
        }
        // FNV-1a, because the standard library's hash may change between versions.
        let hash = preset.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        const COLOURS: [u32; 6] = [0x882255, 0x332288, 0x999933, 0x44aa99, 0x6b4c3a, 0xaa4499];
        const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Short];
        let pick = |shift: u32, n: usize| ((hash >> shift) % n as u64) as usize;
        let style = Style {
            colour: Colour::hex(COLOURS[pick(40, COLOURS.len())]),
            dash: DASHES[pick(20, DASHES.len())],
            marker: METHODS[pick(8, METHODS.len())].2.marker,
            width: 1.6,
        };
        Series { name: preset.into(), style }
    }

    /// The `index`-th of the series that are no methods (actions, moments of training).
    pub fn nth(name: impl Into<String>, index: usize) -> Self {
        const ORDER: [usize; 8] = [3, 4, 2, 6, 7, 1, 5, 0];
        const DASHES: [Dash; 8] = [
            Dash::Solid,
            Dash::Dashed,
            Dash::DashDot,
            Dash::Short,
            Dash::Long,
            Dash::DashDotDot,
            Dash::Solid,
            Dash::Dotted,
        ];
        let style = Style { dash: DASHES[index % 8], ..METHODS[ORDER[index % 8]].2 };
        Series { name: name.into(), style }
    }

    /// A series that the legend leaves out.
    pub fn unnamed(style: Style) -> Self {
        Series { name: String::new(), style }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_methods_share_a_colour_a_marker_or_a_name() {
        for (i, (_, name, a)) in METHODS.iter().enumerate() {
            for (_, other, b) in &METHODS[..i] {
                assert_ne!(name, other);
                assert_ne!(a.colour, b.colour, "{name} {other}");
                assert_ne!(a.marker, b.marker, "{name} {other}");
            }
        }
        // The two solid lines are far apart in grey as well.
        let grey = |name: &str| {
            let Colour(r, g, b) = Series::method(name).style.colour;
            0.3 * f64::from(r) + 0.6 * f64::from(g) + 0.1 * f64::from(b)
        };
        assert!(grey("duvn") - grey("duvn-deep") > 100.0);
    }

    #[test]
    fn unknown_methods_keep_their_look() {
        assert_eq!(Series::method("sgld-ucb"), Series::method("sgld-ucb"));
        assert_ne!(Series::method("sgld-ucb").style, Series::method("swag").style);
        assert_eq!(Series::nth("state 9", 9).style, Series::nth("state 1", 1).style);
    }
}
