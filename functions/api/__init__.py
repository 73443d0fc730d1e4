"""The API: requests of HTTP with tokens in, answers of use cases out; it alone of the functions imports authoring.

In: API Gateway's events of payload format 2.0. Out: JSON of the models, or a problem by RFC 9457. An entry point for
each function, whose role has only the rights that its routes need.
"""
