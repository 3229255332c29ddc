package call

// Fence is the once-only record that a call with side effects starts, or that it never
// will.
type Fence struct {
	// By is the worker or dispatcher that wrote it, Attempt the delivery.
	By      string `json:"by"`
	Attempt int    `json:"attempt"`
	AtMS    int64  `json:"at_ms"`
	// Ended is the error type of a call that was ended before it started, "cancelled" or
	// "timeout" if a dispatcher ended it; empty for a call that starts.
	Ended string `json:"ended,omitempty"`
}
