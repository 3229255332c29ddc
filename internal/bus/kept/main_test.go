package kept_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := queuetest.SideBySide(4); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	queuetest.Verify(m)
}
