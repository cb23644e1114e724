//! What Python is given of an agent: what it believes, its weights, and what its networks are made of.

use crate::convert::{failed, value_error};
use duvn::net::Tensor;
use duvn::{Agent, Running, ValueNetwork};
use duvn_envs::Observation;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What brings observations to one scale: their means, their deviations, and how far a component may be from its mean.
pub type Scale = (Vec<f64>, Vec<f64>, f64);

/// Weights by name, and those of the fixed random network with the factors on its outputs.
pub type Network<'py> = (Bound<'py, PyDict>, Option<(Bound<'py, PyDict>, Vec<f32>)>);

/// A table with so many rows, from its numbers row by row.
fn table(py: Python<'_>, numbers: Vec<f64>, rows: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let columns = numbers.len() / rows.max(1);
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

/// Mean, sigma, spread and probability of every action in every row.
pub fn beliefs<'py>(
    py: Python<'py>,
    rows: &[Observation<'_>],
    agent: &mut Agent,
    draws: usize,
) -> PyResult<[Bound<'py, PyArray2<f64>>; 4]> {
    let mut numbers = [const { Vec::new() }; 4];
    for &seen in rows {
        for view in agent.inspect(seen, draws).map_err(value_error)? {
            let values = [view.mean, view.sigma, view.spread, view.probability];
            numbers.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
    }
    let tables = numbers.into_iter().map(|numbers| table(py, numbers, rows.len()));
    let tables: Vec<_> = tables.collect::<PyResult<_>>()?;
    tables.try_into().map_err(|_| failed("there are four tables of beliefs"))
}

/// Mean and sigma of every action in every row, as the network itself has them.
pub fn outputs<'py>(
    py: Python<'py>,
    rows: &[Observation<'_>],
    agent: &mut Agent,
) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
    let (means, sds) = agent.central(rows).map_err(value_error)?;
    Ok([table(py, means, rows.len())?, table(py, sds, rows.len())?])
}

/// Arrays by name.
pub fn named(py: Python<'_>, tensors: Vec<Tensor>) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    for tensor in tensors {
        arrays.set_item(tensor.name, PyArray1::from_vec(py, tensor.data).reshape(tensor.shape)?)?;
    }
    Ok(arrays)
}

/// The networks of an agent: weights, and the fixed random network that is added with its factors.
pub fn networks<'py>(py: Python<'py>, agent: &Agent) -> PyResult<Vec<Network<'py>>> {
    let network = |network: &ValueNetwork| {
        let prior = match network.prior() {
            Some((tensors, factors)) => Some((named(py, tensors)?, factors.to_vec())),
            None => None,
        };
        Ok((named(py, network.weights())?, prior))
    };
    agent.posterior().networks().into_iter().map(network).collect()
}

/// By what running statistics observations come to the networks, if they do.
pub fn running(agent: &Agent) -> Option<Scale> {
    let statistics = |running: &Running| {
        let deviations = (0..running.means().len()).map(|component| running.deviation(component));
        (running.means().to_vec(), deviations.collect(), Running::MOST)
    };
    agent.posterior().running().map(statistics)
}
