package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asWorker makes of this test binary the program it tests: a process of its own, without
// a second one to link.
const asWorker = "EXAMPLE_AS_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		main()
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
