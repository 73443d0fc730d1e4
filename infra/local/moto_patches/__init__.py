"""Changes to moto: faults on demand, and faster copies."""
