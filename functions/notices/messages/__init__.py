"""Notices with their events in; mails and requests to Slack, PagerDuty, webhooks out. Pure; imports ports, events."""
