"""The control plane: what runs in Lambda between an upload and its receipt, without Spark."""
