package sandbox_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/test/testtime"
)

func TestMain(m *testing.M) {
	testtime.SlowPackage("it runs scripts in processes of their own")
	goleak.VerifyTestMain(m)
}
