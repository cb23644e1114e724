//! The network on the CPU.

use rand_core::Rng;

use super::adam::flush;
use super::init::symmetric;
use super::kernels::{Buffer, Kernels};
use super::langevin::kick;
use super::layout::Layout;
use super::pass::{Learn, Net, Workspace};
use super::{
    Activation, AdamConfig, Backend, Extent, Health, Init, Isa, IsaError, LoadError, Masks, Part, Rows,
    Shape, ShapeError, Tensor, Which, isa,
};

/// Single precision overflows at the square of 1e19. Outputs and gradients of outputs below this are so far from it that no
/// parameter needs a look: a network that runs away shows in its outputs first.
const HARMLESS: f32 = 1e10;

/// What does not change while a network computes.
struct Plan {
    shape: Shape,
    layout: Layout,
    kernels: Kernels,
    activation: Activation,
}

impl Plan {
    fn net<'a>(&'a self, masks: Option<&'a Masks>) -> Net<'a> {
        let Plan { shape, layout, kernels, activation } = self;
        Net { kernels: *kernels, shape, layout, masks, activation: *activation }
    }
}

/// Whose outputs a forward pass is after.
enum Heads<'a> {
    /// Those of the action taken in each row, which stay in the workspace.
    Taken(&'a [u8]),
    /// All actions', written here.
    All(&'a mut [f32]),
}

/// A network on the CPU, with its target copy, Adam's moments, and the buffers of a pass.
pub struct Network {
    plan: Plan,
    online: Buffer,
    target: Buffer,
    mean: Buffer,
    variance: Buffer,
    /// Empty until a gradient has to be kept.
    gradient: Buffer,
    /// The first parameters, where they are kept; else empty.
    first: Buffer,
    steps: u64,
    work: Workspace,
}

impl Network {
    /// A network with random weights; the target is a copy. It uses the instruction set of [`isa`].
    pub fn new(shape: Shape, init: Init, rng: &mut impl Rng) -> Result<Self, ShapeError> {
        shape.check()?;
        let layout = Layout::new(&shape);
        let mut online = Buffer::zeros(layout.len);
        layout.fill_weights(&mut online, |layer| {
            init.limit(layer.inputs, layer.units, layer.output) * symmetric(rng)
        });
        Ok(Network {
            target: online.clone(),
            mean: Buffer::staggered(layout.len, 21),
            variance: Buffer::staggered(layout.len, 43),
            gradient: Buffer::default(),
            first: Buffer::default(),
            steps: 0,
            work: Workspace::default(),
            plan: Plan { shape, layout, kernels: Kernels::best(isa()), activation: Activation::Relu },
            online,
        })
    }

    /// The same network with another activation than ReLU.
    pub fn with_activation(mut self, activation: Activation) -> Self {
        self.plan.activation = activation;
        self.work = Workspace::default();
        self
    }

    /// The same network that keeps its present parameters, as what [`AdamConfig::anchor`] draws it back to.
    pub fn anchored(mut self) -> Self {
        self.first = self.online.clone();
        self
    }

    /// The same network without what only training needs: target and moments. It can be asked and no more.
    pub(crate) fn fixed(mut self) -> Self {
        for part in [&mut self.target, &mut self.mean, &mut self.variance] {
            *part = Buffer::default();
        }
        self
    }

    /// The instruction set that this network computes with.
    pub fn isa(&self) -> Isa {
        self.plan.kernels.isa()
    }

    /// Makes this network compute with another instruction set.
    pub fn set_isa(&mut self, isa: Isa) -> Result<(), IsaError> {
        self.plan.kernels = Kernels::new(isa)?;
        Ok(())
    }

    /// [`Shape::flops_train`] of this network.
    pub fn flops_train(&self, rows: usize) -> f64 {
        self.plan.shape.flops_train(rows)
    }

    /// [`Shape::flops_predict`] of this network.
    pub fn flops_predict(&self, rows: usize) -> f64 {
        self.plan.shape.flops_predict(rows)
    }

    /// The gradient of a loss with respect to the parameters, as [`Backend::train`] would use it before clipping.
    /// Nothing is trained.
    pub fn gradient(
        &mut self,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) -> Vec<Tensor> {
        self.forward(Which::Online, rows, masks, Heads::Taken(actions));
        self.store_gradient(masks, loss);
        self.plan.layout.unpack(&self.gradient)
    }

    fn forward(&mut self, which: Which, rows: Rows<'_>, masks: Option<&Masks>, heads: Heads<'_>) {
        let Plan { shape, layout, activation, .. } = &self.plan;
        let count = rows.len(shape.input);
        let actions = if let Heads::Taken(actions) = heads { Some(actions) } else { None };
        self.work.reserve(shape, layout, *activation, count);
        self.work.sort(shape, actions, count);
        self.work.feed(shape, rows, masks);
        let parameters = match which {
            Which::Online => &self.online,
            Which::Target => &self.target,
        };
        let net = self.plan.net(masks);
        self.work.forward_trunk(net, parameters);
        match heads {
            Heads::Taken(_) => self.work.forward_taken(net, parameters),
            Heads::All(out) => self.work.forward_all(net, parameters, out),
        }
    }

    fn store_gradient(&mut self, masks: Option<&Masks>, loss: &mut dyn FnMut(&[f32], &mut [f32])) {
        self.gradient.reserve(self.plan.layout.len);
        let mut learn = Learn::Store { w: &self.online, g: &mut self.gradient };
        self.work.backward(self.plan.net(masks), &mut learn, loss);
    }

    /// Adam on each gradient as soon as it is there.
    fn learn_at_once(
        &mut self,
        masks: Option<&Masks>,
        adam: &AdamConfig,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) {
        let step = adam.step(self.steps);
        self.work.note_moved(&self.plan.shape, &self.plan.layout, [&self.mean, &self.variance]);
        let (w, m, v) = (&mut self.online[..], &mut self.mean[..], &mut self.variance[..]);
        self.work.backward(self.plan.net(masks), &mut Learn::Adam { w, m, v, step }, loss);
    }

    /// A step that needs to know the whole gradient before.
    fn learn_from_stored(
        &mut self,
        masks: Option<&Masks>,
        adam: &AdamConfig,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) {
        self.work.forget_moved();
        self.store_gradient(masks, loss);
        self.pull_back(adam.anchor);
        let norm = self.plan.kernels.sum_of_squares(&self.gradient).sqrt();
        let limit = adam.max_gradient_norm.map_or(f64::INFINITY, f64::from);
        let scale = if norm > limit { (limit / norm) as f32 } else { 1.0 };
        let mut step = adam.step(self.steps);
        step.rate *= adam.langevin.map_or(1.0, |langevin| langevin.bias);
        let (w, m, v) = (&mut self.online, &mut self.mean, &mut self.variance);
        self.plan.kernels.adam(&self.gradient, scale, w, m, v, &step);
        if let Some(langevin) = &adam.langevin {
            let gradient = (&self.gradient[..], scale);
            kick(&self.plan.layout, langevin, self.steps, adam.learning_rate, gradient, &mut self.online);
        }
    }

    /// Adds the gradient of a ‖w - w₀‖² to the stored one.
    fn pull_back(&mut self, a: f32) {
        if a == 0.0 {
            return;
        }
        assert_eq!(
            self.first.len(),
            self.online.len(),
            "an anchor needs a network that keeps its first parameters"
        );
        let away = self.online.iter().zip(self.first.iter());
        for (g, (w, first)) in self.gradient.iter_mut().zip(away) {
            *g += 2.0 * a * (w - first);
        }
    }

    fn part(&self, part: Part) -> &Buffer {
        match part {
            Part::Online => &self.online,
            Part::Target => &self.target,
            Part::AdamMean => &self.mean,
            Part::AdamVariance => &self.variance,
        }
    }
}

impl Backend for Network {
    fn shape(&self) -> &Shape {
        &self.plan.shape
    }

    fn predict(&mut self, which: Which, rows: Rows<'_>, masks: Option<&Masks>, out: &mut [f32]) {
        let numbers = rows.len(self.plan.shape.input) * self.plan.shape.actions * self.plan.shape.outputs;
        assert_eq!(out.len(), numbers, "room for rows x actions x outputs");
        assert!(masks.is_none_or(|m| m.extent() == Extent::AllActions), "masks must cover all actions");
        if numbers == 0 {
            return;
        }
        self.forward(which, rows, masks, Heads::All(out));
    }

    fn predict_taken(
        &mut self,
        which: Which,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        out: &mut [f32],
    ) {
        self.forward(which, rows, masks, Heads::Taken(actions));
        out.copy_from_slice(self.work.outputs());
    }

    fn train(
        &mut self,
        rows: Rows<'_>,
        actions: &[u8],
        masks: Option<&Masks>,
        adam: &AdamConfig,
        loss: &mut dyn FnMut(&[f32], &mut [f32]),
    ) -> Health {
        self.forward(Which::Online, rows, masks, Heads::Taken(actions));
        self.steps = self.steps.saturating_add(1);
        match (adam.max_gradient_norm, adam.langevin) {
            (None, None) if adam.anchor == 0.0 => self.learn_at_once(masks, adam, loss),
            _ => self.learn_from_stored(masks, adam, loss),
        }
        if adam.weight_decay != 0.0 {
            let rest = 1.0 - adam.learning_rate * adam.weight_decay;
            for layer in self.plan.layout.canonical() {
                self.online[layer.weights_at..layer.bias_at].iter_mut().for_each(|w| *w *= rest);
            }
        }
        if adam.flushes(self.steps) {
            flush(&mut self.mean);
            flush(&mut self.variance);
        }
        let finite = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
        match self.work.size() < HARMLESS
            || [&self.online, &self.mean, &self.variance].iter().all(|x| finite(x))
        {
            true => Health::Finite,
            false => Health::NonFinite,
        }
    }

    fn sync_target(&mut self, tau: f32) {
        if tau == 1.0 {
            self.target.copy_from_slice(&self.online);
            return;
        }
        for (target, &online) in self.target.iter_mut().zip(self.online.iter()) {
            *target += tau * (online - *target);
        }
    }

    fn tensors(&self, part: Part) -> Vec<Tensor> {
        self.plan.layout.unpack(self.part(part))
    }

    fn load(&mut self, part: Part, tensors: &[Tensor]) -> Result<(), LoadError> {
        self.work.forget_moved();
        let numbers = match part {
            Part::Online => &mut self.online,
            Part::Target => &mut self.target,
            Part::AdamMean => &mut self.mean,
            Part::AdamVariance => &mut self.variance,
        };
        self.plan.layout.pack(tensors, numbers)
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Input, MaskRng};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// Kernels compute on padded units; whatever they do there must come to 0.
    #[test]
    fn padding_stays_zero() {
        for isa in Isa::available() {
            let plain = [(vec![], vec![70, 5, 18]), (vec![33, 9], vec![65]), (vec![40, 3], vec![])];
            let kinds = [(2, false), (2, true), (19, false)]
                .into_iter()
                .flat_map(|kind| [Activation::Relu, Activation::Elu].map(|activation| (kind, activation)));
            let all =
                plain.into_iter().flat_map(|layers| kinds.clone().map(move |kind| (layers.clone(), kind)));
            for ((trunk, head), ((outputs, layer_norm), activation)) in all {
                let shape = Shape { input: Input::Dense(3), trunk, head, actions: 3, outputs, layer_norm };
                let mut network = Network::new(shape.clone(), Init::He, &mut ChaCha8Rng::seed_from_u64(0))
                    .expect("a shape")
                    .with_activation(activation);
                network.set_isa(isa).expect("an available instruction set");
                let (mut masks, mut rng) = (Masks::new(), MaskRng::new(0));
                for rows in [1, 5, 9, 100, 7] {
                    let x: Vec<f32> = (0..3 * rows).map(|i| (i as f32).sin()).collect();
                    let actions: Vec<u8> = (0..rows).map(|i| (i % 3) as u8).collect();
                    masks.draw(&shape, Extent::TakenAction, rows, 0.9, &mut rng);
                    // A batch of 9 takes a step of Langevin dynamics.
                    let langevin =
                        (rows == 9).then_some(crate::net::Langevin { bias: 1.0, noise: 0.1, seed: 3 });
                    let adam = AdamConfig { langevin, weight_decay: 0.1, ..AdamConfig::default() };
                    network.train(Rows::Dense(&x), &actions, Some(&masks), &adam, &mut |y, g| {
                        g.iter_mut().zip(y).for_each(|(g, y)| *g = y - 0.5);
                    });
                }
                for part in [Part::Online, Part::AdamMean, Part::AdamVariance] {
                    let mut clean = Buffer::zeros(network.plan.layout.len);
                    network.plan.layout.pack(&network.tensors(part), &mut clean).expect("its own tensors");
                    assert!(clean[..] == network.part(part)[..], "{isa} {shape:?} {part:?}");
                }
            }
        }
    }
}
