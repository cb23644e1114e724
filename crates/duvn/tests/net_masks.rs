//! Dropout masks: how often a unit is kept, and that rows and draws differ.

use duvn::net::{Extent, HiddenAt, Input, MaskRng, Masks, Shape};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn shape() -> Shape {
    Shape { trunk: vec![50], ..Shape::heads(Input::OneHot(3), vec![128, 40], 3, 2) }
}

/// The bits of a row: the trunk, then the layers of each action that the mask covers.
fn row_bits(masks: &Masks, shape: &Shape, row: usize) -> Vec<bool> {
    let actions = if masks.extent() == Extent::AllActions { shape.actions } else { 1 };
    let trunk = shape.trunk.iter().enumerate().map(|(l, &units)| (HiddenAt::Trunk(l), units));
    let heads = (0..actions)
        .flat_map(|a| shape.head.iter().enumerate().map(move |(l, &units)| (HiddenAt::Head(a, l), units)));
    trunk
        .chain(heads)
        .flat_map(|(at, units)| (0..units).map(move |u| (at, u)))
        .map(|(at, unit)| masks.kept(shape, row, at, unit).expect("a bit for every unit"))
        .collect()
}

#[test]
fn units_are_kept_as_often_as_asked() {
    let shape = shape();
    let mut rng = MaskRng::new(1);
    for keep in [0.1, 0.5, 0.75, 0.9, 0.999] {
        let mut masks = Masks::new();
        let (mut kept, mut all) = (0, 0);
        for _ in 0..20 {
            masks.draw(&shape, Extent::AllActions, 40, keep, &mut rng);
            for row in 0..40 {
                let bits = row_bits(&masks, &shape, row);
                kept += bits.iter().filter(|&&bit| bit).count();
                all += bits.len();
            }
        }
        let (mean, keep) = (kept as f64 / all as f64, f64::from(keep));
        let sd = (keep * (1.0 - keep) / all as f64).sqrt();
        assert!((mean - keep).abs() < 5.0 * sd + 1.0 / 65536.0, "keep {keep}: {mean}");
        assert_eq!(masks.scale(), 1.0 / keep as f32);
    }
}

#[test]
fn every_unit_has_its_own_chance() {
    let shape = shape();
    let (mut masks, mut rng) = (Masks::new(), MaskRng::new(2));
    masks.draw(&shape, Extent::TakenAction, 4000, 0.75, &mut rng);
    let mut counts = vec![0; 50 + 128 + 40];
    for row in 0..4000 {
        for (count, bit) in counts.iter_mut().zip(row_bits(&masks, &shape, row)) {
            *count += i32::from(bit);
        }
    }
    // 3000 expected, standard deviation 27.
    assert!(counts.iter().all(|&count| (3000 - count).abs() < 140), "{counts:?}");
}

#[test]
fn keep_of_one_keeps_everything() {
    let shape = shape();
    let (mut masks, mut rng) = (Masks::new(), MaskRng::new(3));
    masks.draw(&shape, Extent::AllActions, 7, 1.0, &mut rng);
    assert!((0..7).all(|row| row_bits(&masks, &shape, row).iter().all(|&bit| bit)));
}

#[test]
fn rows_and_draws_differ_and_seeds_repeat() {
    let shape = shape();
    let (mut masks, mut rng) = (Masks::new(), MaskRng::new(4));
    let mut seen = std::collections::HashSet::new();
    for _ in 0..5 {
        masks.draw(&shape, Extent::TakenAction, 30, 0.9, &mut rng);
        for row in 0..30 {
            assert!(seen.insert(row_bits(&masks, &shape, row)), "two equal masks");
        }
    }
    let (mut again, mut rng) = (Masks::new(), MaskRng::new(4));
    again.draw(&shape, Extent::TakenAction, 30, 0.9, &mut rng);
    assert!((0..30).all(|row| seen.contains(&row_bits(&again, &shape, row))));
    let other = MaskRng::from_rng(&mut ChaCha8Rng::seed_from_u64(4));
    assert_ne!(other, MaskRng::new(4));
}

#[test]
fn a_generator_continues_after_it_was_saved() {
    let shape = shape();
    let (mut masks, mut rng) = (Masks::new(), MaskRng::new(5));
    masks.draw(&shape, Extent::AllActions, 3, 0.5, &mut rng);
    let text = serde_json::to_string(&rng).expect("a generator can be written");
    let mut copy: MaskRng = serde_json::from_str(&text).expect("and read");
    assert_eq!(copy, rng);
    let mut other = Masks::new();
    masks.draw(&shape, Extent::AllActions, 3, 0.5, &mut rng);
    other.draw(&shape, Extent::AllActions, 3, 0.5, &mut copy);
    assert!((0..3).all(|row| row_bits(&masks, &shape, row) == row_bits(&other, &shape, row)));
}

#[test]
fn units_that_do_not_exist_have_no_bit() {
    let shape = shape();
    let (mut masks, mut rng) = (Masks::new(), MaskRng::new(6));
    masks.draw(&shape, Extent::AllActions, 2, 0.5, &mut rng);
    assert_eq!(masks.kept(&shape, 2, HiddenAt::Trunk(0), 0), None);
    assert_eq!(masks.kept(&shape, 0, HiddenAt::Trunk(0), 50), None);
    assert_eq!(masks.kept(&shape, 0, HiddenAt::Trunk(1), 0), None);
    assert_eq!(masks.kept(&shape, 1, HiddenAt::Head(3, 0), 0), None);
}
