package javascript

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets one goroutine pass: the clock of the regular expressions, which ends
// by itself when no match has a timeout any more.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
