package system

import "fmt"

// LongTTL is a time to live longer than any test, so that it needs no heartbeat.
const LongTTL = 300000

// ReadingTool returns the definition of a tool that changes nothing, with additional fields.
func ReadingTool(name, more string) string {
	return fmt.Sprintf(`{"name": %q, "description": "Looks something up.", "mutates": false, "timeout_seconds": 60,
		"parameters": {"type": "object", "properties": {"n": {"type": "number", "default": 7}}}%s}`, name, more)
}

// ActingTool returns the definition of a tool that changes something and cannot be run twice.
func ActingTool(name, more string) string {
	return fmt.Sprintf(`{"name": %q, "description": "Does something.", "timeout_seconds": 60, "args_schema": {"properties": {}}%s}`,
		name, more)
}
