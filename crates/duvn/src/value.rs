//! The value network: a network with the return model that gives its outputs their meaning, and the fixed
//! random prior that may be added to them. Posteriors are made of these.

use crate::config::{ActivationKind, Config, InitKind};
use crate::net::{
    Activation, AdamConfig, Backend, Health, Init, Input, LoadError, Masks, Network, Part, Rows, Shape,
    ShapeError, Tensor, Which,
};
use crate::prior::Prior;
use crate::returns::{Discrepancy, ReturnModel};
use crate::rng::Stream;
use crate::schedule::Schedule;
use crate::told::Told;
use std::sync::Arc;

/// A batch to train on.
pub struct TrainingBatch<'a> {
    /// Where each transition lies in the replay.
    pub slots: &'a [u32],
    /// The observations.
    pub rows: Rows<'a>,
    /// The actions taken.
    pub actions: &'a [u8],
    /// What each row's return should be, in the form of the return model's targets.
    pub targets: &'a [f32],
    /// How much each row counts.
    pub weights: &'a [f32],
    /// How many transitions are remembered: what an anchor weighs less by.
    pub remembered: usize,
    /// Whether the learning rate waits with falling, because nothing speaks for loops or for chance yet.
    pub waiting: bool,
    /// Gets how far each row was from its target.
    pub found: &'a mut [Discrepancy],
}

/// States whose returns are asked for, to make targets.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The current parameters, or those that targets are made with.
    pub which: Which,
    /// The states.
    pub rows: Rows<'a>,
    /// One action a state; none: all of them.
    pub taken: Option<&'a [u8]>,
}

/// A network whose outputs are parameters of return distributions.
pub struct ValueNetwork {
    net: Box<dyn Backend>,
    model: Arc<dyn ReturnModel>,
    prior: Option<Prior>,
    /// Where observations are indices.
    told: Option<Told>,
    adam: AdamConfig,
    schedule: Schedule,
    /// How much the first weights draw the others back, times the transitions remembered.
    anchor: f64,
    /// The most that a gradient of the loss by an output may be: 2 d is that of d².
    steepest: f32,
    sums: Vec<f32>,
}

/// The arrays of a network, by the names that they have in a checkpoint.
const PARTS: [(Part, &str); 4] = [
    (Part::Online, "online/"),
    (Part::Target, "target/"),
    (Part::AdamMean, "adam_mean/"),
    (Part::AdamVariance, "adam_variance/"),
];

impl ValueNetwork {
    /// The network that `config` asks for, with first weights and prior from `stream`.
    pub fn new(
        config: &Config,
        input: Input,
        actions: usize,
        model: Arc<dyn ReturnModel>,
        stream: &mut Stream,
    ) -> Result<Self, ShapeError> {
        let shape = shape(config, input, actions, &*model);
        let init = match config.init {
            InitKind::He => Init::He,
            InitKind::Xavier => Init::Xavier,
        };
        let activation = activation(config);
        let mut net = Network::new(shape.clone(), init, stream.generator())?.with_activation(activation);
        if config.anchor > 0.0 {
            net = net.anchored();
        }
        let scales = model.prior_scales(config);
        let prior = match scales.iter().any(|&scale| scale > 0.0) {
            true => {
                // A normalised network would not feel the gain on its input.
                let shape = Shape { layer_norm: false, ..shape };
                let net = Network::new(shape, init, stream.generator())?.with_activation(activation);
                Some(Prior::new(net, config.prior_gain as f32, scales))
            }
            false => None,
        };
        let adam = AdamConfig {
            learning_rate: config.learning_rate as f32,
            beta1: config.adam_beta1 as f32,
            beta2: config.adam_beta2 as f32,
            epsilon: config.adam_epsilon as f32,
            max_gradient_norm: (config.max_gradient_norm > 0.0).then_some(config.max_gradient_norm as f32),
            ..AdamConfig::default()
        };
        let steepest = if config.error_clip > 0.0 { 2.0 * config.error_clip as f32 } else { f32::INFINITY };
        let told = match input {
            Input::OneHot(states) => Some(Told::new(states, actions * model.outputs())),
            Input::Dense(_) => None,
        };
        let (net, schedule) = (Box::new(net), Schedule::new(config));
        let anchor = config.anchor;
        Ok(ValueNetwork { net, model, prior, told, adam, schedule, anchor, steepest, sums: Vec::new() })
    }

    /// The shape of its network.
    pub fn shape(&self) -> &Shape {
        self.net.shape()
    }

    /// What is believed of the states of a question, as decoded parameters.
    pub fn beliefs(&mut self, question: Question<'_>, masks: Option<&Masks>, out: &mut [f32]) {
        let Self { net, model, prior, told, .. } = self;
        let Question { which, rows, taken } = question;
        // All actions are asked about at once: of no use where each has layers of its own and one was asked for.
        let at_once = taken.is_none() || net.shape().head.is_empty();
        let mut ask = |Question { which, rows, taken }: Question<'_>, out: &mut [f32]| {
            match taken {
                Some(actions) => net.predict_taken(which, rows, actions, masks, out),
                None => net.predict(which, rows, masks, out),
            }
            if let Some(prior) = prior {
                prior.add(rows, taken, out);
            }
            out.chunks_exact_mut(model.outputs()).for_each(|action| model.decode(action));
        };
        match (told, rows) {
            (Some(told), Rows::Index(states))
                if which == Which::Target && masks.is_none() && states.len() > 1 && at_once =>
            {
                told.answer(states, (taken, model.outputs()), out, |states, out| {
                    ask(Question { which, rows: Rows::Index(states), taken: None }, out);
                });
            }
            _ => ask(question, out),
        }
    }

    /// One step of Adam on the mean loss of a batch.
    pub fn train(&mut self, batch: TrainingBatch<'_>, masks: Option<&Masks>) -> Health {
        let TrainingBatch { rows, actions, targets, weights, remembered, waiting, found, .. } = batch;
        let (outputs, target_width) = (self.model.outputs(), self.model.target_width());
        let share = 1.0 / actions.len() as f32;
        let learning_rate =
            if waiting { self.schedule.waiting() } else { self.schedule.rate(self.net.steps()) };
        let anchor = (self.anchor / remembered.max(1) as f64) as f32;
        let adam = AdamConfig { learning_rate, anchor, ..self.adam };
        let Self { net, model, prior, steepest, sums, .. } = self;
        sums.clear();
        sums.resize(actions.len() * outputs, 0.0);
        if let Some(prior) = prior {
            prior.add(rows, Some(actions), sums);
        }
        net.train(rows, actions, masks, &adam, &mut |predicted, gradient| {
            sums.iter_mut().zip(predicted).for_each(|(sum, predicted)| *sum += predicted);
            let predictions = sums.chunks_exact(outputs).zip(gradient.chunks_exact_mut(outputs));
            let rows = predictions.zip(targets.chunks_exact(target_width)).zip(weights);
            for ((((predicted, gradient), target), weight), found) in rows.zip(found.iter_mut()) {
                *found = model.loss(predicted, target, gradient);
                for slope in gradient.iter_mut() {
                    *slope = slope.clamp(-*steepest, *steepest) * (share * weight);
                }
            }
        })
    }

    /// Moves the target network towards the trained one.
    pub fn sync_target(&mut self, tau: f32) {
        self.net.sync_target(tau);
        self.told.iter_mut().for_each(Told::forget);
    }

    /// The trained weights.
    pub fn weights(&self) -> Vec<Tensor> {
        self.net.tensors(Part::Online)
    }

    /// The weights of the fixed random network whose outputs are added, times these factors.
    pub fn prior(&self) -> Option<(Vec<Tensor>, &[f32])> {
        self.prior.as_ref().map(Prior::weights)
    }

    /// Weights, target weights and Adam's moments; names begin with `prefix` and the part: `0/online/`.
    pub fn tensors(&self, prefix: &str) -> Vec<Tensor> {
        let named = |(part, name): (Part, &'static str)| {
            let rename =
                move |tensor: Tensor| Tensor { name: format!("{prefix}{name}{}", tensor.name), ..tensor };
            self.net.tensors(part).into_iter().map(rename)
        };
        PARTS.into_iter().flat_map(named).collect()
    }

    /// Goes on with those of `tensors` whose names begin with `prefix`.
    pub fn load(&mut self, prefix: &str, tensors: &[Tensor]) -> Result<(), LoadError> {
        self.told.iter_mut().for_each(Told::forget);
        for (part, name) in PARTS {
            let prefix = format!("{prefix}{name}");
            let strip = |tensor: &Tensor| {
                let name = tensor.name.strip_prefix(&prefix)?.to_string();
                Some(Tensor { name, ..tensor.clone() })
            };
            self.net.load(part, &tensors.iter().filter_map(strip).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Steps of Adam so far.
    pub fn steps(&self) -> u64 {
        self.net.steps()
    }

    /// Sets the steps of Adam so far, after [loading](Self::load) its moments.
    pub fn set_steps(&mut self, steps: u64) {
        self.net.set_steps(steps);
    }
}

/// The shape of the network that `config` asks for.
pub(crate) fn shape(config: &Config, input: Input, actions: usize, model: &dyn ReturnModel) -> Shape {
    Shape {
        input,
        trunk: config.trunk.clone(),
        head: config.hidden.clone(),
        actions,
        outputs: model.outputs(),
        layer_norm: config.layer_norm,
    }
}

/// The activation of its hidden units.
pub(crate) fn activation(config: &Config) -> Activation {
    match config.activation {
        ActivationKind::Relu => Activation::Relu,
        ActivationKind::Elu => Activation::Elu,
        ActivationKind::Tanh => Activation::Tanh,
    }
}
