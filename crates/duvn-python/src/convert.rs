//! Between NumPy and what environments and agents take.

use duvn_envs::{Observation, Space};
use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An error of what the user wrote.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of what happened.
pub fn failed(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// A space as `("discrete", n)` or `("box", low, high)`.
pub fn describe<'py>(py: Python<'py>, space: &Space) -> PyResult<Bound<'py, PyTuple>> {
    match space {
        Space::Discrete(n) => ("discrete", *n).into_pyobject(py),
        Space::Box { low, high } => {
            let [low, high] = [low, high].map(|bounds| PyArray1::from_slice(py, bounds));
            ("box", low, high).into_pyobject(py)
        }
    }
}

/// What [`describe`] gives, read back; `("none",)` is a space with nothing to see.
pub fn understand(description: &Bound<'_, PyTuple>) -> PyResult<Space> {
    let kind: String = description.get_item(0)?.extract()?;
    match kind.as_str() {
        "none" => Ok(Space::Discrete(1)),
        "discrete" => Ok(Space::Discrete(description.get_item(1)?.extract()?)),
        _ => {
            let bounds = |at| -> PyResult<Vec<f32>> {
                let array: PyReadonlyArray1<'_, f32> = description.get_item(at)?.extract()?;
                Ok(array.as_array().to_vec())
            };
            Ok(Space::Box { low: bounds(1)?, high: bounds(2)? })
        }
    }
}

/// An observation as Gymnasium has it: a number, or a fresh array.
pub fn observation<'py>(py: Python<'py>, seen: Observation<'_>) -> PyResult<Bound<'py, PyAny>> {
    match seen {
        Observation::Index(index) => Ok(index.into_pyobject(py)?.into_any()),
        Observation::Vector(numbers) => Ok(PyArray1::from_slice(py, numbers).into_any()),
    }
}

/// Puts the numbers of an array, of whatever shape and type, into `numbers`.
pub fn fill(py: Python<'_>, array: &Bound<'_, PyAny>, numbers: &mut [f32]) -> PyResult<()> {
    let expected = numbers.len();
    let misfit = |found: usize| value_error(format!("there are {found} numbers where {expected} belong"));
    if let Ok(array) = array.cast::<PyArrayDyn<f32>>() {
        let array = array.readonly();
        if array.len() != expected {
            return Err(misfit(array.len()));
        }
        numbers.iter_mut().zip(array.as_array()).for_each(|(number, value)| *number = *value);
        return Ok(());
    }
    if let Ok(array) = array.cast::<PyArrayDyn<f64>>() {
        let array = array.readonly();
        if array.len() != expected {
            return Err(misfit(array.len()));
        }
        numbers.iter_mut().zip(array.as_array()).for_each(|(number, value)| *number = *value as f32);
        return Ok(());
    }
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (array, "float32"))?;
    let array = array.cast_into::<PyArrayDyn<f32>>().map_err(value_error)?;
    fill(py, array.as_any(), numbers)
}

/// Observations, one a row: indices of a discrete space or the numbers of a box.
pub enum Rows<'py> {
    Indices(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray2<'py, f32>),
}

impl<'py> Rows<'py> {
    pub fn new(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        match array.extract::<PyReadonlyArray1<'py, i64>>() {
            Ok(indices) => Ok(Rows::Indices(indices)),
            Err(_) => Ok(Rows::Numbers(array.extract()?)),
        }
    }

    /// Looks at every row.
    pub fn observations(&self) -> PyResult<Vec<Observation<'_>>> {
        match self {
            Rows::Indices(indices) => {
                let index = |&index: &i64| {
                    let index = usize::try_from(index);
                    Ok(Observation::Index(index.map_err(|_| value_error("an observation is below 0"))?))
                };
                indices.as_array().iter().map(index).collect()
            }
            Rows::Numbers(numbers) => {
                let width = numbers.as_array().ncols().max(1);
                let all = numbers.as_slice().map_err(value_error)?;
                Ok(all.chunks_exact(width).map(Observation::Vector).collect())
            }
        }
    }
}
