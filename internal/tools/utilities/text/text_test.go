package text

import (
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }
