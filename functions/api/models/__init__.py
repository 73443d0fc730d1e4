"""The bodies of requests and answers: values of the flow in, pydantic models out; imports nothing of the API."""
