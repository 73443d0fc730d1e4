"""Adapters to services that are not of AWS: mail by SMTP and requests to web addresses; imports ports."""
