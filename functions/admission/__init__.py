"""The first bytes of a file and its plan in, admitted or a problem out; pure; imports drop and keys."""
