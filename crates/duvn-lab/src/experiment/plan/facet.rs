//! Which setting with a grid gets a panel for each of its values.

use super::super::ExperimentError;
use super::Plan;

impl Plan<'_> {
    /// The setting whose grid makes facets: what the file says, or with several grids the one with the fewest values.
    pub(super) fn facet(&self) -> Result<Option<String>, ExperimentError> {
        let mut grids: Vec<(String, Vec<String>)> = Vec::new();
        let mut most = 0;
        for environment in self.file.environments.get_ref() {
            for agent in self.file.agents.get_ref() {
                for point in self.points(environment, agent)? {
                    most = most.max(point.values.len());
                    for (key, value) in point.values {
                        match grids.iter_mut().find(|(known, _)| *known == key) {
                            None => grids.push((key, vec![value])),
                            Some((_, values)) if !values.contains(&value) => values.push(value),
                            Some(_) => {}
                        }
                    }
                }
            }
        }
        match &self.file.figure.facet {
            None if most < 2 => Ok(None),
            None => Ok(grids.into_iter().min_by_key(|(_, values)| values.len()).map(|(key, _)| key)),
            Some(facet) if grids.iter().any(|(key, _)| key == facet.get_ref()) => {
                Ok(Some(facet.get_ref().clone()))
            }
            Some(facet) => {
                let name = facet.get_ref();
                let what = match &grids[..] {
                    [] => format!(
                        "'{name}' has no grid to make facets of: write {name} = {{ grid = [0.1, 0.2] }} as a setting"
                    ),
                    grids => {
                        let known: Vec<_> = grids.iter().map(|(key, _)| key.as_str()).collect();
                        format!("'{name}' has no grid to make facets of: write {}", known.join(" or "))
                    }
                };
                Err(self.source.wrong(facet, what))
            }
        }
    }
}
