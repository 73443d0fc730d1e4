"""The views: a visit in, a page out; each asks the API's routes for what it shows."""
