package embedded

import "fmt"

// failures is the server's log: it keeps the first reason why the server could
// not start, which is told in no other way.
type failures chan string

// Fatalf keeps the reason.
func (f failures) Fatalf(format string, v ...any) {
	select {
	case f <- fmt.Sprintf(format, v...):
	default: // what follows from the first
	}
}

// Noticef drops what the server says of itself.
func (failures) Noticef(string, ...any) {}

// Warnf drops warnings.
func (failures) Warnf(string, ...any) {}

// Errorf drops errors of single clients, who are told themselves.
func (failures) Errorf(string, ...any) {}

// Debugf drops what is for the server's developers.
func (failures) Debugf(string, ...any) {}

// Tracef drops the protocol.
func (failures) Tracef(string, ...any) {}
