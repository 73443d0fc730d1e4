"""An XML document and its plan in, a line of JSON for each record or a problem out; imports plan and problem."""
