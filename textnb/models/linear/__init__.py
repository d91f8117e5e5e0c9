"""Linear models by solving a system: least squares, Fisher's and Gaussian discriminants."""
