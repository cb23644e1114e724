use super::{Draw, Posterior, Question, Source, TrainingBatch};
use crate::net::{Health, LoadError, Rows, Shape, Tensor, Which};
use crate::rng::Stream;
use crate::value::ValueNetwork;
use duvn_envs::{StateError, freeze, thaw};

/// A bootstrap ensemble (Osband et al. 2016): a draw of the parameters is a member. Each member has targets of its own and
/// learns from its own sample of what happened.
pub struct Ensemble {
    members: Vec<ValueNetwork>,
    /// The probability that a transition belongs to a member's sample.
    bootstrap: f64,
    stream: Stream,
    /// By slot of the replay: the members whose sample it belongs to, as bits. Empty where it belongs to all.
    samples: Vec<u64>,
    weights: Vec<f32>,
    /// Where targets are made by the mean of all members: room for what one of them says.
    one: Option<Vec<f32>>,
    /// Whether members are looked at in their order, each once.
    in_turn: bool,
}

impl Ensemble {
    /// The most members there can be.
    pub const MOST: usize = crate::config::MOST_MEMBERS;

    /// An ensemble of `members`, 1 to 64 of them, for a replay of `capacity` transitions; samples are drawn from `stream`.
    pub fn new(members: Vec<ValueNetwork>, bootstrap: f64, capacity: usize, stream: Stream) -> Self {
        assert!((1..=Self::MOST).contains(&members.len()), "1 to 64 members");
        let samples = if bootstrap < 1.0 { Vec::with_capacity(capacity) } else { Vec::new() };
        Ensemble { members, bootstrap, stream, samples, weights: Vec::new(), one: None, in_turn: false }
    }

    /// The same with one target for all members, made by the mean of what they say. There is room for `rows` states at a time.
    pub fn with_shared_targets(mut self, rows: usize) -> Self {
        let Shape { actions, outputs, .. } = self.shape();
        self.one = Some(Vec::with_capacity(rows * actions * outputs));
        self
    }

    /// The same whose draws are its members in their order: the first to act by, the others to compare it with.
    pub fn in_turn(mut self) -> Self {
        self.in_turn = true;
        self
    }
}

impl Posterior for Ensemble {
    fn shape(&self) -> &Shape {
        self.members[0].shape()
    }

    fn draw(&self, source: &mut Source, draw: &mut Draw) {
        if self.in_turn {
            draw.member = 0;
        } else if self.members.len() > 1 {
            draw.member = source.stream.below(self.members.len());
        }
    }

    fn draw_beside(&self, number: usize, source: &mut Source, draw: &mut Draw) {
        match self.in_turn {
            true => draw.member = number % self.members.len(),
            false => self.draw(source, draw),
        }
    }

    fn beliefs<'d>(&mut self, rows: Rows<'_>, draw_of: &dyn Fn(usize) -> &'d Draw, out: &mut [f32]) {
        let count = rows.len(self.shape().input);
        for (row, out) in out.chunks_exact_mut(out.len() / count.max(1)).enumerate() {
            let member = draw_of(row).member;
            let rows = rows.block(row, 1, count);
            self.members[member].beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
        }
    }

    fn takes(&self, draw: &Draw) -> bool {
        draw.member < self.members.len()
    }

    fn centres(&self) -> usize {
        self.members.len()
    }

    fn central_beliefs(&mut self, centre: usize, rows: Rows<'_>, out: &mut [f32]) {
        self.members[centre].beliefs(Question { which: Which::Online, rows, taken: None }, None, out);
    }

    fn learners(&self) -> usize {
        self.members.len()
    }

    fn shares_targets(&self) -> bool {
        self.one.is_some()
    }

    fn value(&mut self, learner: usize, question: Question<'_>, _source: &mut Source, out: &mut [f32]) {
        let Self { members, one, .. } = self;
        let Some(one) = one else {
            return members[learner].beliefs(question, None, out);
        };
        let share = 1.0 / members.len() as f32;
        one.resize(out.len(), 0.0);
        out.fill(0.0);
        for member in members {
            member.beliefs(question, None, one);
            out.iter_mut().zip(one.iter()).for_each(|(out, one)| *out += share * one);
        }
    }

    fn values_vary(&self) -> bool {
        false
    }

    fn remember(&mut self, slot: u32) {
        if self.bootstrap >= 1.0 || self.members.len() == 1 {
            return;
        }
        let drawn = (0..self.members.len())
            .map(|member| u64::from(self.stream.uniform() < self.bootstrap) << member)
            .fold(0, |bits, bit| bits | bit);
        let slot = slot as usize;
        if slot >= self.samples.len() {
            self.samples.resize(slot + 1, 0);
        }
        self.samples[slot] = drawn;
    }

    fn train(&mut self, learner: usize, batch: TrainingBatch<'_>, _source: &mut Source) -> Health {
        let Self { members, samples, weights, .. } = self;
        let counts = |slot: u32| samples.get(slot as usize).is_none_or(|bits| bits >> learner & 1 == 1);
        weights.clear();
        let rows = batch.slots.iter().zip(batch.weights);
        weights.extend(rows.map(|(&slot, &weight)| if counts(slot) { weight } else { 0.0 }));
        members[learner].train(TrainingBatch { weights, ..batch }, None)
    }

    fn sync_target(&mut self, tau: f32) {
        self.members.iter_mut().for_each(|member| member.sync_target(tau));
    }

    fn weights(&self) -> Vec<Tensor> {
        self.members.iter().flat_map(ValueNetwork::weights).collect()
    }

    fn networks(&self) -> Vec<&ValueNetwork> {
        self.members.iter().collect()
    }

    fn tensors(&self) -> Vec<Tensor> {
        let members = self.members.iter().enumerate();
        members.flat_map(|(number, member)| member.tensors(&format!("{number}/"))).collect()
    }

    fn load(&mut self, tensors: &[Tensor]) -> Result<(), LoadError> {
        let mut members = self.members.iter_mut().enumerate();
        members.try_for_each(|(number, member)| member.load(&format!("{number}/"), tensors))
    }

    fn freeze(&self) -> Vec<u8> {
        freeze(&(self.members[0].steps(), &self.stream, &self.samples))
    }

    fn thaw(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (steps, stream, samples): (u64, Stream, Vec<u64>) = thaw(bytes)?;
        self.members.iter_mut().for_each(|member| member.set_steps(steps));
        self.stream = stream;
        self.samples.clear();
        self.samples.extend(samples);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, PolicyKind, PosteriorKind, ReturnKind};
    use crate::net::Input;
    use crate::posterior::posterior;
    use crate::returns::{Mean, return_model};
    use std::sync::Arc;

    #[test]
    fn every_member_is_drawn_as_often_as_the_others_and_no_other() {
        let config =
            Config { posterior: PosteriorKind::Ensemble, members: 3, hidden: vec![2], ..Config::default() };
        let ensemble = posterior(&config.check().unwrap(), Input::OneHot(2), 2, Arc::new(Mean), 0).unwrap();
        let (mut source, mut draw) = (Source::new(Stream::new(0, "test")), Draw::default());
        let mut counts = [0; 3];
        for _ in 0..3000 {
            ensemble.draw(&mut source, &mut draw);
            assert!(ensemble.takes(&draw));
            counts[draw.member] += 1;
        }
        // Five standard deviations of a count of 1,000 in 3,000.
        assert!(counts.iter().all(|count| (870..1130).contains(count)), "{counts:?}");
        draw.member = 3;
        assert!(!ensemble.takes(&draw));
    }

    fn two(settings: &[(&str, &str)]) -> Box<dyn Posterior> {
        let mut config = Config {
            posterior: PosteriorKind::Ensemble,
            members: 2,
            hidden: vec![4],
            returns: ReturnKind::Quantile,
            policy: PolicyKind::Ids,
            ..Config::default()
        };
        settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
        let model = return_model(&config);
        posterior(&config.check().unwrap(), Input::OneHot(3), 2, model, 0).unwrap()
    }

    #[test]
    fn shared_targets_are_made_by_the_mean_of_all_members() {
        let (rows, mut source) = (Rows::Index(&[2, 0]), Source::new(Stream::new(0, "test")));
        let mut said = [(); 2].map(|_| vec![0.0; 2 * 2 * 51]);
        let mut value = said[0].clone();
        let mut ensemble = two(&[("member_targets", "mean")]);
        said.iter_mut().enumerate().for_each(|(member, said)| ensemble.central_beliefs(member, rows, said));
        assert_ne!(said[0], said[1]);
        for learner in 0..2 {
            let question = Question { which: Which::Online, rows, taken: None };
            ensemble.value(learner, question, &mut source, &mut value);
            let mean = said[0].iter().zip(&said[1]).map(|(one, other)| 0.5 * one + 0.5 * other);
            assert!(value.iter().copied().eq(mean));
        }
        let mut own = two(&[]);
        own.value(1, Question { which: Which::Online, rows, taken: None }, &mut source, &mut value);
        assert!(value == said[1] && !own.shares_targets() && ensemble.shares_targets());
    }

    #[test]
    fn members_that_are_compared_quantile_by_quantile_come_in_turn() {
        let (mut source, mut draw) = (Source::new(Stream::new(0, "test")), Draw::default());
        let ensemble = two(&[("compare", "quantiles")]);
        let before = source.clone();
        for _ in 0..20 {
            ensemble.draw(&mut source, &mut draw);
            assert_eq!(draw.member, 0);
            ensemble.draw_beside(1, &mut source, &mut draw);
            assert_eq!(draw.member, 1);
        }
        assert_eq!(source, before, "no random numbers are used up");
    }
}
