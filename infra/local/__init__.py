"""The embedded stack: AWS played on this machine, with template.yaml's resources and Lambda's part between them."""
