package timelimit

import (
	"time"

	"github.com/helve-dev/helve/tool"
)

// Of returns the time in timeout_seconds or else in timeout, in milliseconds: at most
// most, and usual if neither is given.
func Of(seconds, milliseconds *float64, usual, most time.Duration) (time.Duration, error) {
	asked := usual.Seconds()
	switch {
	case seconds != nil:
		asked = *seconds
	case milliseconds != nil:
		asked = *milliseconds / 1000
	}
	if asked <= 0 {
		return 0, tool.Fail(tool.ValidationError, "timeout_seconds and timeout must be above 0.")
	}
	return time.Duration(min(asked, most.Seconds()) * float64(time.Second)), nil
}
