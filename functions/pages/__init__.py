"""The page: requests of browsers in, HTML of the API's models out; imports the API's routes, models and access.

People sign in with an OIDC issuer of `ApiIssuers` that has a `client` (authorization code with PKCE). Each view asks
for what it shows by the API's own routes, with the caller's own reach.
"""
