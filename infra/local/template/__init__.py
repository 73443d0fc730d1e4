"""template.yaml in, the resources of the embedded stack out."""
