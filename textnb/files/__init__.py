"""Files: a bundle of header and arrays, model files and count files."""
