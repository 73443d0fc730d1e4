"""The embedded stack: AWS emulated on this machine, with template.yaml's resources and Lambda's part between them."""
