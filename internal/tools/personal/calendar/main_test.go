package calendar

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestMain(m *testing.M) { os.Exit(tooltest.OnBoth(m)) }
