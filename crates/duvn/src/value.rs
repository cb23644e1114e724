//! The value network: a network with the return model that gives its outputs their meaning, and the fixed
//! random prior that may be added to them.

use crate::config::{Config, InitKind};
use crate::net::{AdamConfig, Backend, Init, Input, Masks, Network, Rows, Shape, ShapeError, Which};
use crate::prior::Prior;
use crate::returns::{Error, ReturnModel, return_model};
use crate::rng::Stream;

/// A network whose outputs are parameters of return distributions.
pub struct ValueNetwork {
    /// The network, with its target copy and its optimiser.
    pub net: Box<dyn Backend>,
    /// The meaning of its outputs.
    pub model: Box<dyn ReturnModel>,
    prior: Option<Prior>,
    adam: AdamConfig,
    sums: Vec<f32>,
}

/// A batch to train on.
#[derive(Clone, Copy)]
pub struct TrainingBatch<'a> {
    /// The observations.
    pub rows: Rows<'a>,
    /// The actions taken.
    pub actions: &'a [u8],
    /// What each row's return should be.
    pub targets: &'a [f32],
    /// How much each row counts.
    pub weights: &'a [f32],
}

impl ValueNetwork {
    /// The network that `config` asks for, with first weights and prior from `stream`.
    pub fn new(
        config: &Config,
        input: Input,
        actions: usize,
        stream: &mut Stream,
    ) -> Result<Self, ShapeError> {
        let model = return_model(config);
        let shape = Shape {
            input,
            trunk: config.trunk.clone(),
            head: config.hidden.clone(),
            actions,
            outputs: model.outputs(),
            layer_norm: config.layer_norm,
        };
        let init = match config.init {
            InitKind::He => Init::He,
            InitKind::Xavier => Init::Xavier,
        };
        let net = Network::new(shape.clone(), init, stream.generator())?;
        let mut scales = vec![config.prior_mu as f32, config.prior_sigma as f32];
        scales.truncate(model.outputs());
        let prior = match scales.iter().any(|&scale| scale > 0.0) {
            true => {
                // A normalised network would not feel the gain on its input.
                let shape = Shape { layer_norm: false, ..shape };
                let net = Network::new(shape, init, stream.generator())?;
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
        };
        Ok(ValueNetwork { net: Box::new(net), model, prior, adam, sums: Vec::new() })
    }

    /// The parameters of every action's return (rows x actions x outputs), or, where `taken` is given, of
    /// one action a row (rows x outputs).
    pub fn beliefs(
        &mut self,
        which: Which,
        rows: Rows<'_>,
        taken: Option<&[u8]>,
        masks: Option<&Masks>,
        out: &mut [f32],
    ) {
        match taken {
            Some(actions) => self.net.predict_taken(which, rows, actions, masks, out),
            None => self.net.predict(which, rows, masks, out),
        }
        if let Some(prior) = &mut self.prior {
            prior.add(rows, taken, out);
        }
        for action in out.chunks_exact_mut(self.model.outputs()) {
            self.model.decode(action);
        }
    }

    /// One step of Adam on the mean loss of a batch; `errors` gets each row's error.
    pub fn train(&mut self, batch: TrainingBatch<'_>, masks: Option<&Masks>, errors: &mut [Error]) {
        let TrainingBatch { rows, actions, targets, weights } = batch;
        let (outputs, target_width) = (self.model.outputs(), self.model.target_width());
        let share = 1.0 / actions.len() as f32;
        let Self { net, model, prior, adam, sums } = self;
        sums.clear();
        sums.resize(actions.len() * outputs, 0.0);
        if let Some(prior) = prior {
            prior.add(rows, Some(actions), sums);
        }
        net.train(rows, actions, masks, adam, &mut |predicted, gradient| {
            sums.iter_mut().zip(predicted).for_each(|(sum, predicted)| *sum += predicted);
            let predictions = sums.chunks_exact(outputs).zip(gradient.chunks_exact_mut(outputs));
            let rows = predictions.zip(targets.chunks_exact(target_width)).zip(weights);
            for ((((predicted, gradient), target), weight), error) in rows.zip(errors.iter_mut()) {
                *error = model.loss(predicted, target, gradient);
                gradient.iter_mut().for_each(|slope| *slope *= share * weight);
            }
        });
    }
}
