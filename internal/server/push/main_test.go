package push

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// contextWithin returns the context of the notifications of one request.
func contextWithin(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), patience)
}

func equal(a, b []time.Duration) bool { return slices.Equal(a, b) }
