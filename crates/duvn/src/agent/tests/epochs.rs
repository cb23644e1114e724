//! Learning in epochs, once every few episodes.

use super::*;

/// Episodes of these lengths with two transitions a batch; what was trained on at the end of each.
fn epochs(config: &Config, lengths: &[usize]) -> Vec<Vec<Vec<u32>>> {
    let (mut agent, calls) = agent(config, simple());
    let mut by_episode = Vec::new();
    for &length in lengths {
        calls.lock().unwrap().clear();
        agent.begin(HERE).unwrap();
        for step in 1..=length {
            agent.observe(if step == length { &END } else { &GOING }, HERE).unwrap();
        }
        let slots = |call: &Call| match call {
            Call::Train { slots, .. } => Some(slots.clone()),
            _ => None,
        };
        by_episode.push(calls.lock().unwrap().iter().filter_map(slots).collect());
    }
    by_episode
}

fn sorted(batches: &[Vec<u32>]) -> Vec<u32> {
    let mut slots = batches.concat();
    slots.sort_unstable();
    slots
}

#[test]
fn an_epoch_goes_once_over_the_episodes_since_the_last() {
    let config = Config { train_episodes: 2, batch: 2, replay_starts: 1000, ..config() };
    let found = epochs(&config, &[2, 3, 1, 4]);
    assert!(found[0].is_empty() && found[2].is_empty(), "{found:?}");
    assert_eq!(
        (sorted(&found[1]), found[1].len()),
        (vec![0, 1, 2, 3, 4], 3),
        "the last batch is what is left"
    );
    assert_eq!((sorted(&found[3]), found[3].len()), (vec![5, 6, 7, 8, 9], 3));
    let twice = epochs(&Config { updates: 2, ..config.clone() }, &[2, 3]);
    assert_eq!(sorted(&twice[1]), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
}

#[test]
fn what_is_remembered_is_replayed_in_epochs_once_it_is_enough() {
    let config = Config { train_episodes: 1, batch: 2, replay_starts: 4, ..config() };
    let found = epochs(&config, &[2, 4]);
    assert_eq!(found[0].len(), 1, "two transitions are not enough");
    assert_eq!(found[1].len(), 4, "each of two updates is followed by one on replayed transitions");
    let fresh = [found[1][0].clone(), found[1][2].clone()];
    assert_eq!(sorted(&fresh), [2, 3, 4, 5]);
}

#[test]
fn an_episode_as_long_as_the_memory_is_learnt_from_before_it_is_forgotten() {
    let config = Config { train_episodes: 1, batch: 2, replay: 4, replay_starts: 1000, ..config() };
    let found = epochs(&config, &[9]);
    assert_eq!(sorted(&found[0]), [0, 0, 0, 1, 1, 2, 2, 3, 3], "{found:?}");
}

/// Action 0 is worth 0 and action 1 is worth 1; 1 is what the greedy agent takes, so the target of a step that goes on is
/// gamma 1, with sarsa as recorded.
#[test]
fn fresh_experience_of_an_epoch_is_backed_up_as_it_was_lived() {
    let config = Config {
        train_episodes: 1,
        batch: 8,
        backup: BackupKind::Sarsa,
        gamma: 0.5,
        replay_starts: 1000,
        ..config()
    };
    let (mut agent, calls) = agent(&config, simple());
    agent.begin(HERE).unwrap();
    agent.observe(&GOING, HERE).unwrap();
    agent.observe(&END, HERE).unwrap();
    let calls = calls.lock().unwrap();
    let targets = calls.iter().find_map(|call| match call {
        Call::Train { slots, targets, .. } => {
            let mut by_slot: Vec<_> = slots.iter().zip(targets.clone()).collect();
            by_slot.sort_by_key(|(slot, _)| **slot);
            Some(by_slot.into_iter().map(|(_, target)| target).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(targets, Some(vec![0.5, 0.0]));
}
