"""The control plane's adapters and handlers on the embedded AWS."""
