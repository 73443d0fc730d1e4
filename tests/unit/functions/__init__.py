"""The control plane's use cases and pure modules, in memory."""
