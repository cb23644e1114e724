//! The page's own files, inside the program: nothing is fetched from anywhere.

/// The page, without data and without inline scripts.
pub const PAGE: &str = include_str!("../../assets/board/page.html");

/// Everything that the page does.
pub const SCRIPT: &str = concat!(
    "\"use strict\";\n(function () {\n",
    include_str!("../../assets/board/tools.js"),
    include_str!("../../assets/board/source.js"),
    include_str!("../../assets/board/chart.js"),
    include_str!("../../assets/board/curves.js"),
    include_str!("../../assets/board/runs.js"),
    include_str!("../../assets/board/beliefs.js"),
    include_str!("../../assets/board/watch.js"),
    include_str!("../../assets/board/compare.js"),
    include_str!("../../assets/board/main.js"),
    "})();\n",
);

/// How it looks.
pub const STYLE: &str = include_str!("../../assets/board/style.css");

/// uPlot 1.6.32, MIT licence (assets/board/vendor/uPlot-LICENSE).
pub const UPLOT: &str = include_str!("../../assets/board/vendor/uPlot.iife.min.js");

/// uPlot's own style.
pub const UPLOT_STYLE: &str = include_str!("../../assets/board/vendor/uPlot.min.css");

/// uPlot's licence.
pub const UPLOT_LICENCE: &str = include_str!("../../assets/board/vendor/uPlot-LICENSE");
