//! Looking at what a learner knows, without changing anything in it.

use super::{Axes, Learner};
use crate::actor::Actor;
use crate::config::Scope;
use crate::error::LearnError;
use crate::inspect::{ActionView, Compared, Draw as View};
use crate::policy::{Beliefs, Moment, best_of};
use crate::posterior::{Draw, SeveralDraws, Source};
use crate::replay::Gathered;
use crate::rng::Stream;
use duvn_envs::Observation;

/// An actor that only looks: it explores as the agent does in training, with draws of its own, and the learner does not
/// notice.
pub struct Explorer {
    actor: Actor,
    source: Source,
}

impl Explorer {
    pub(crate) fn new(seed: u64) -> Self {
        Explorer { actor: Actor::new(seed, 0), source: Source::new(Stream::new(seed, "explored parameters")) }
    }
}

impl Learner {
    fn see_all(&self, observations: &[Observation<'_>]) -> Result<Gathered, LearnError> {
        let (mut all, mut one) = (Gathered::default(), Gathered::default());
        for &observation in observations {
            self.check(observation)?;
            self.inputs.see(observation, &mut one);
            all.push(one.only());
        }
        Ok(all)
    }

    /// Gives every state in the replay memory to `each`.
    pub(crate) fn remembered(&self, mut each: impl FnMut(Observation<'_>)) {
        let (ring, mut numbers) = (self.replay.ring(), Vec::new());
        for slot in 0..ring.len() {
            match ring.get(slot as u32).observation {
                Observation::Vector(seen) => {
                    self.inputs.unsee(seen, &mut numbers);
                    each(Observation::Vector(&numbers));
                }
                index => each(index),
            }
        }
    }

    /// In each state, the action of the best mean with the mean of the parameters.
    pub(crate) fn greedy(&mut self, observations: &[Observation<'_>]) -> Result<Vec<usize>, LearnError> {
        let seen = self.see_all(observations)?;
        let Axes { posterior, returns, .. } = &mut self.axes;
        let actions = posterior.shape().actions;
        let mut means = vec![0.0; observations.len() * actions];
        let mut beliefs = vec![0.0; means.len() * returns.outputs()];
        for centre in 0..posterior.centres() {
            posterior.central_beliefs(centre, seen.as_rows(), &mut beliefs);
            self.local.widen(&**returns, seen.as_rows(), None, &mut beliefs);
            for (mean, parameters) in means.iter_mut().zip(beliefs.chunks_exact(returns.outputs())) {
                *mean += returns.mean(parameters);
            }
        }
        let best = |means: &[f64]| {
            let mut ties = Stream::new(self.seed, "greedy");
            best_of(actions, &mut ties, |action, _| means[action])
        };
        Ok(means.chunks_exact(actions).map(best).collect())
    }

    /// The mean and the standard deviation of every action in each state, with the mean of the parameters.
    pub(crate) fn central(
        &mut self,
        observations: &[Observation<'_>],
    ) -> Result<(Vec<f64>, Vec<f64>), LearnError> {
        let seen = self.see_all(observations)?;
        let Axes { posterior, returns, .. } = &mut self.axes;
        let rows = observations.len() * posterior.shape().actions;
        let (mut means, mut sds) = (vec![0.0; rows], vec![0.0; rows]);
        let mut beliefs = vec![0.0; rows * returns.outputs()];
        let centres = posterior.centres();
        for centre in 0..centres {
            posterior.central_beliefs(centre, seen.as_rows(), &mut beliefs);
            for (at, parameters) in beliefs.chunks_exact(returns.outputs()).enumerate() {
                means[at] += returns.mean(parameters) / centres as f64;
                sds[at] += returns.sd(parameters) / centres as f64;
            }
        }
        Ok((means, sds))
    }

    /// What is believed of every action in a state, over `draws` draws of the parameters.
    pub(crate) fn inspect(
        &mut self,
        observation: Observation<'_>,
        draws: usize,
    ) -> Result<Vec<ActionView>, LearnError> {
        let seen = self.see_all(&[observation])?;
        let mut stream = Stream::new(self.seed, "inspection");
        let mut source = Source::new(Stream::new(self.seed, "inspected parameters"));
        let Axes { posterior, returns, policy } = &mut self.axes;
        let model = &**returns;
        let (mut draw, mut several) = (Draw::default(), SeveralDraws::default());
        let mut parameters = vec![0.0; posterior.shape().actions * model.outputs()];
        let views = (0..draws.max(1)).map(|_| {
            posterior.draw(&mut source, &mut draw);
            posterior.beliefs(seen.as_rows(), &|_| &draw, &mut parameters);
            // The return's own spread, before local uncertainty comes to it.
            let own: Vec<_> =
                parameters.chunks_exact(model.outputs()).map(|action| model.aleatoric(action)).collect();
            self.local.widen(model, seen.as_rows(), None, &mut parameters);
            let further = policy.draws() - 1;
            several.look(&mut **posterior, &mut self.local, model, &mut source, seen.as_rows(), further);
            let beliefs = Beliefs { model, parameters: &parameters, others: several.of(0) };
            let moment = Moment { step: self.course.counters.steps, index: policy.draw_index(&mut stream) };
            let mut probabilities = vec![0.0; beliefs.actions()];
            policy.probabilities(beliefs, moment, 1, &mut stream, &mut probabilities);
            let view = |(action, &probability): (usize, &f32)| {
                let (mean, sd) = beliefs.over_draws(action);
                let compared = beliefs.by_level(action);
                View {
                    mu: if compared.is_some() { mean } else { beliefs.mean(action) },
                    sigma: model.sd(beliefs.of(action)),
                    own: own[action],
                    probability: f64::from(probability),
                    compared: compared.map(|(between, common)| Compared { means: sd * sd, between, common }),
                }
            };
            probabilities.iter().enumerate().map(view).collect()
        });
        Ok(ActionView::over(&views.collect::<Vec<_>>()))
    }

    /// By action, the return's own quantiles at each of `levels` with the mean of the parameters, without
    /// what is only not known: means over the members of an ensemble.
    pub(crate) fn quantiles(
        &mut self,
        observation: Observation<'_>,
        levels: &[f64],
    ) -> Result<Vec<Vec<f64>>, LearnError> {
        let seen = self.see_all(&[observation])?;
        let Axes { posterior, returns, .. } = &mut self.axes;
        let actions = posterior.shape().actions;
        let mut quantiles = vec![vec![0.0; levels.len()]; actions];
        let mut beliefs = vec![0.0; actions * returns.outputs()];
        let share = 1.0 / posterior.centres() as f64;
        for centre in 0..posterior.centres() {
            posterior.central_beliefs(centre, seen.as_rows(), &mut beliefs);
            for (quantiles, parameters) in quantiles.iter_mut().zip(beliefs.chunks_exact(returns.outputs())) {
                for (sum, &level) in quantiles.iter_mut().zip(levels) {
                    *sum += share * returns.quantile(parameters, level);
                }
            }
        }
        Ok(quantiles)
    }

    /// An episode of `explorer` begins.
    pub(crate) fn begin_exploring(&self, explorer: &mut Explorer) {
        let Explorer { actor, source } = explorer;
        self.axes.posterior.draw(source, &mut actor.draw);
        actor.index = self.axes.policy.draw_index(&mut actor.acting);
    }

    /// The action that `explorer` takes in each state, all in one pass. Where the agent draws parameters at every step, each
    /// state has its own.
    pub(crate) fn explore(
        &mut self,
        explorer: &mut Explorer,
        observations: &[Observation<'_>],
    ) -> Result<Vec<usize>, LearnError> {
        let seen = self.see_all(observations)?;
        let Explorer { actor, source } = explorer;
        let mut committed = Vec::with_capacity(observations.len());
        for _ in observations {
            if self.config.redraw > 0.0 && actor.acting.uniform() < self.config.redraw {
                actor.index = self.axes.policy.draw_index(&mut actor.acting);
                self.axes.posterior.draw(source, &mut actor.draw);
            } else if self.config.parameter_scope == Scope::Step {
                self.axes.posterior.draw(source, &mut actor.draw);
            }
            committed.push((actor.draw.clone(), actor.index));
        }
        let Axes { posterior, returns, policy } = &mut self.axes;
        let numbers = posterior.shape().actions * returns.outputs();
        let mut parameters = vec![0.0; observations.len() * numbers];
        posterior.beliefs(seen.as_rows(), &|row| &committed[row].0, &mut parameters);
        self.local.widen(&**returns, seen.as_rows(), None, &mut parameters);
        let mut several = SeveralDraws::default();
        let further = policy.draws() - 1;
        several.look(&mut **posterior, &mut self.local, &**returns, source, seen.as_rows(), further);
        let choose = |(row, parameters): (usize, &[f32])| {
            let beliefs = Beliefs { model: &**returns, parameters, others: several.of(row) };
            let moment = Moment { step: self.course.counters.steps, index: committed[row].1 };
            policy.choose(beliefs, moment, &mut actor.acting)
        };
        Ok(parameters.chunks_exact(numbers).enumerate().map(choose).collect())
    }
}
