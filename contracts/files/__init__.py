"""A header, a record or character counts with a plan in, columns, cells or a problem out; imports plan and problem."""
