package natsio

import (
	"fmt"
	"strconv"
	"strings"
)

// leastMajor and leastMinor are the version of NATS from which on it has message
// schedules, which timers need.
const leastMajor, leastMinor = 2, 12

// Old returns an error for an operator if a version of NATS is too old.
func Old(version string) error {
	parts := strings.SplitN(version, ".", 3)
	var numbers [2]int
	known := len(parts) == 3
	for i := range numbers {
		if known {
			var err error
			numbers[i], err = strconv.Atoi(parts[i])
			known = err == nil
		}
	}
	if known && (numbers[0] > leastMajor || numbers[0] == leastMajor && numbers[1] >= leastMinor) {
		return nil
	}
	return fmt.Errorf("NATS has version %s, but %d.%d is needed for timers; update the NATS servers, one after the other",
		version, leastMajor, leastMinor)
}

// OldServer is Old for the server of a connection, if there is one now.
func OldServer(c *Conn) error {
	version := c.nc.ConnectedServerVersion()
	if version == "" {
		return nil
	}
	return Old(version)
}
