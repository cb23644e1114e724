//! The value network: a network with the return model that gives its outputs their meaning.

use crate::config::{Config, InitKind};
use crate::net::{AdamConfig, Backend, Init, Masks, Network, Rows, Shape, ShapeError, Which};
use crate::returns::{Error, ReturnModel, return_model};
use crate::rng::Stream;

/// A network whose outputs are parameters of return distributions.
pub struct ValueNetwork {
    /// The network, with its target copy and its optimiser.
    pub net: Box<dyn Backend>,
    /// The meaning of its outputs.
    pub model: Box<dyn ReturnModel>,
    adam: AdamConfig,
}

impl ValueNetwork {
    /// The network that `config` asks for, with first weights from `stream`.
    pub fn new(
        config: &Config,
        input: crate::net::Input,
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
        };
        let init = match config.init {
            InitKind::He => Init::He,
            InitKind::Xavier => Init::Xavier,
        };
        let net = Network::new(shape, init, stream.generator())?;
        let adam = AdamConfig {
            learning_rate: config.learning_rate as f32,
            beta1: config.adam_beta1 as f32,
            beta2: config.adam_beta2 as f32,
            epsilon: config.adam_epsilon as f32,
            max_gradient_norm: (config.max_gradient_norm > 0.0).then_some(config.max_gradient_norm as f32),
        };
        Ok(ValueNetwork { net: Box::new(net), model, adam })
    }

    /// The parameters of every action's return: rows x actions x outputs.
    pub fn beliefs(&mut self, which: Which, rows: Rows<'_>, masks: Option<&Masks>, out: &mut [f32]) {
        self.net.predict(which, rows, masks, out);
        self.decode(out);
    }

    /// The parameters of the return of one action a row: rows x outputs.
    pub fn beliefs_taken(
        &mut self,
        which: Which,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        out: &mut [f32],
    ) {
        self.net.predict_taken(which, rows, actions, masks, out);
        self.decode(out);
    }

    fn decode(&self, outputs: &mut [f32]) {
        for action in outputs.chunks_exact_mut(self.model.outputs()) {
            self.model.decode(action);
        }
    }

    /// One step of Adam on the mean loss of a batch against its targets; `errors` gets each row's error.
    pub fn train(
        &mut self,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        targets: &[f32],
        errors: &mut [Error],
    ) {
        let (outputs, target_width) = (self.model.outputs(), self.model.target_width());
        let (model, share) = (&self.model, 1.0 / actions.len() as f32);
        self.net.train(rows, actions, masks, &self.adam, &mut |predicted, gradient| {
            let targets = targets.chunks_exact(target_width);
            let rows = predicted.chunks_exact(outputs).zip(gradient.chunks_exact_mut(outputs));
            for (((predicted, gradient), target), error) in rows.zip(targets).zip(errors.iter_mut()) {
                *error = model.loss(predicted, target, gradient);
                gradient.iter_mut().for_each(|slope| *slope *= share);
            }
        });
    }
}
