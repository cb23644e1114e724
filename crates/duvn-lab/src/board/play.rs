//! The policy of a checkpoint at play: frames drawn here, with what the agent believes of every action.

use super::beliefs::{Beliefs, LookError, Looking};
use super::names;
use super::number::number;
use crate::evaluate::{Acting, Arena};
use duvn::ActionView;
use duvn_envs::raster::Raster;
use duvn_envs::{Environment, Observation};
use serde_json::{Value, json};

/// The size of a frame.
pub const SIZE: (u32, u32) = (420, 280);

/// Frames of an episode that are shown; a longer one is cut off.
const MOST_FRAMES: usize = 500;

/// Draws of the parameters in a look.
const DRAWS: usize = 10;

/// Which episode is to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playing {
    /// How the agent acts.
    pub acting: Acting,
    /// The number of the episode: the same number is the same episode.
    pub number: u64,
}

/// An episode that was played.
pub struct Frames {
    /// What happened, and what was believed.
    pub script: Value,
    /// The pictures as PNG; empty where the environment has none.
    pub pictures: Vec<Vec<u8>>,
}

/// What is seen before each step.
struct Scene {
    picture: Option<Vec<u8>>,
    text: Option<String>,
    observation: Owned,
}

/// An observation that outlives its environment.
enum Owned {
    Index(usize),
    Vector(Vec<f32>),
}

impl Owned {
    fn of(observation: Observation<'_>) -> Self {
        match observation {
            Observation::Index(index) => Owned::Index(index),
            Observation::Vector(x) => Owned::Vector(x.to_vec()),
        }
    }

    fn get(&self) -> Observation<'_> {
        match self {
            Owned::Index(index) => Observation::Index(*index),
            Owned::Vector(x) => Observation::Vector(x),
        }
    }
}

impl Beliefs {
    /// Plays an episode with the newest checkpoint of a run.
    pub fn play(&mut self, looking: &Looking, playing: Playing) -> Result<Frames, LookError> {
        let failed = |error: String| LookError::Failed(error);
        let spec = looking.spec().clone();
        let (agent, trained) = self.agent(looking)?;
        let mut arena = Arena::new(&spec).map_err(|error| failed(error.to_string()))?;
        let (mut scenes, mut moves): (Vec<Scene>, Vec<(usize, f64)>) = (Vec::new(), Vec::new());
        let mut cut = false;
        let played = arena.play(agent, playing.acting, playing.number, |env, moved| {
            moves.extend(moved.map(|(action, step)| (action, step.reward)));
            let mut picture = None;
            if let Ok(mut raster) = Raster::new(SIZE.0, SIZE.1)
                && env.draw(&mut raster)
            {
                picture = raster.png().ok();
            }
            let text = if picture.is_none() { env.render_text() } else { None };
            let observation = Owned::of(env.observation());
            scenes.push(Scene { picture, text, observation });
            cut = scenes.len() >= MOST_FRAMES;
            !cut
        });
        let played = played.map_err(|error| failed(error.to_string()))?;
        let mut steps = Vec::with_capacity(scenes.len());
        let mut ret = 0.0;
        for (t, scene) in scenes.iter().enumerate() {
            let views = agent.inspect(scene.observation.get(), DRAWS);
            let views = views.map_err(|error| failed(error.to_string()))?;
            let came = t.checked_sub(1).and_then(|before| moves.get(before));
            ret += came.map_or(0.0, |(_, reward)| *reward);
            steps.push(json!({
                "t": t, "reward": came.map(|(_, reward)| number(*reward)), "return": number(ret),
                "action": moves.get(t).map(|(action, _)| action), "text": scene.text,
                "values": views.iter().map(view).collect::<Vec<_>>(),
            }));
        }
        let actions = scenes.first().map_or(0, |_| steps[0]["values"].as_array().map_or(0, Vec::len));
        let pictures: Vec<Vec<u8>> = scenes.into_iter().filter_map(|scene| scene.picture).collect();
        let script = json!({
            "run": looking.id(), "env": spec.env, "agent": spec.agent, "trained": trained,
            "actions": names::actions(&spec.env, actions), "pictures": pictures.len() == steps.len(),
            "size": [SIZE.0, SIZE.1], "return": number(played.ret), "length": played.length, "cut": cut,
            "steps": steps,
        });
        Ok(Frames { script, pictures })
    }
}

fn view(view: &ActionView) -> Value {
    json!([number(view.mean), number(view.sigma), number(view.spread), number(view.probability)])
}
