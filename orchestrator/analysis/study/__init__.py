"""Tables, figures and fitted laws of scaling studies."""
