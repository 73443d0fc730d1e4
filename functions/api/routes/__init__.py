"""The routes: the parameters of a request in, models out; each module adds its routes to an application."""
