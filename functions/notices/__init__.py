"""An event in, messages to people out: who hears of it, in which words and which order; imports ports and events."""
