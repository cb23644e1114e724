//! What watched runs believe of every state, at the moments that were asked for.

use super::digest::{BELIEFS, Cells, real, real_or_none};
use super::{Store, StoreError};
use crate::beliefs::Moment;
use duvn::ActionView;
use rusqlite::{Transaction, params};

/// Adds moments to a run and to their digest.
pub(super) fn add(transaction: &Transaction<'_>, number: i64, moments: &[Moment]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO beliefs (run, episode, state, action, mean, sigma, spread, probability, epistemic, aleatoric) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let mut insert = transaction.prepare_cached(sql)?;
    let mut chain = BELIEFS.recorded(transaction, number)?;
    for moment in moments {
        for (state, actions) in moment.states.iter().enumerate() {
            for (action, view) in actions.iter().enumerate() {
                let ActionView { mean, sigma, spread, epistemic, aleatoric, probability } = *view;
                let (episode, state, action) = (moment.episode as i64, state as i64, action as i64);
                insert.execute(params![
                    number,
                    episode,
                    state,
                    action,
                    mean,
                    sigma,
                    spread,
                    probability,
                    epistemic,
                    aleatoric
                ])?;
                let cells = Cells::default().whole(episode).whole(state).real(Some(mean)).real(Some(sigma));
                let cells = cells.real(Some(spread)).real(Some(probability)).whole(action);
                chain.push(&cells.real(Some(epistemic)).real(Some(aleatoric)));
            }
        }
    }
    BELIEFS.record(transaction, number, &chain)
}

impl Store {
    /// Whether what a run believed after so many episodes is recorded.
    pub fn has_moment(&self, number: i64, episode: u64) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM beliefs WHERE run = ?1 AND episode = ?2", number, episode)
    }

    /// The episodes after which what a run believes is recorded, in order.
    pub fn moment_episodes(&self, number: i64) -> Result<Vec<u64>, StoreError> {
        let sql = "SELECT DISTINCT episode FROM beliefs WHERE run = ?1 ORDER BY episode";
        self.list(sql, number, |row| Ok(row.get::<_, i64>(0)?.max(0) as u64))
    }

    /// One recorded moment of a run, if it is recorded.
    pub fn moment(&self, number: i64, episode: u64) -> Result<Option<Moment>, StoreError> {
        Ok(self.moments(number)?.into_iter().find(|moment| moment.episode == episode))
    }

    /// The recorded moments of a run, in order.
    pub fn moments(&self, number: i64) -> Result<Vec<Moment>, StoreError> {
        let rows = self.all(&BELIEFS, number, |row| {
            let (mean, sigma) = (real(row, 2)?, real(row, 3)?);
            let (spread, probability) = (real(row, 4)?, real(row, 5)?);
            // Before version 5 nothing said what of sigma was the return's own: all of it, as in the paper.
            let epistemic = real_or_none(row, 7)?.unwrap_or(spread);
            let aleatoric = real_or_none(row, 8)?.unwrap_or(sigma);
            let view = ActionView { mean, sigma, spread, epistemic, aleatoric, probability };
            Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as usize, view))
        })?;
        let mut moments: Vec<Moment> = Vec::new();
        for (episode, state, view) in rows {
            if moments.last().is_none_or(|moment| moment.episode != episode) {
                moments.push(Moment { episode, states: Vec::new() });
            }
            let Some(moment) = moments.last_mut() else { continue };
            if moment.states.len() <= state {
                moment.states.resize(state + 1, Vec::new());
            }
            moment.states[state].push(view);
        }
        Ok(moments)
    }
}
