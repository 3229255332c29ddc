package keep

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }
