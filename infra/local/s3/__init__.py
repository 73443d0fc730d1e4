"""Requests to S3 in, the rules that moto lacks out."""
