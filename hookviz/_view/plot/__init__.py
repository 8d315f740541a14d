"""Plot the sizes of gradients."""
