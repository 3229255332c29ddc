package natsio_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestMain(m *testing.M) { queuetest.Main(m) }
