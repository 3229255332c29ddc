package push

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

// contextWithin returns the context of the notifications of one request.
func contextWithin(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), patience)
}

func equal(a, b []time.Duration) bool { return slices.Equal(a, b) }
