package services

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// counting counts the data keys that are decrypted.
type counting struct {
	vault.Wrapper
	unwrapped atomic.Int32
}

func (c *counting) Unwrap(ctx context.Context, w vault.Wrapped, bound []byte) ([]byte, error) {
	c.unwrapped.Add(1)
	return c.Wrapper.Unwrap(ctx, w, bound)
}

// TestAccountOpenedOnce: an account is decrypted once for all calls that use its token, and
// what a tool changes in its entry is not what the next one gets.
func TestAccountOpenedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	keys := &counting{Wrapper: w.Keys}
	r, _ := w.reader(keys, nil)
	r.Accounts = &dispatcher{world: w, next: account(id, "at-other", time.Hour)}
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", account(id, "at-ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	token := func() string {
		entries, err := r.For("acme", "ann").Entries(t.Context(), "cloud")
		if err != nil || len(entries) != 1 {
			t.Fatalf("Entries = %v, %v", entries, err)
		}
		got := entries[0].Data[tool.AccessToken]
		entries[0].Data[tool.AccessToken] = "changed"
		return got
	}
	queuetest.Until(t, "the account is there", func() bool { return token() == "at-ann" })
	keys.unwrapped.Store(0)
	for range 50 {
		if got := token(); got != "at-ann" {
			t.Fatalf("the token is %s", got)
		}
	}
	if n := keys.unwrapped.Load(); n > 0 {
		t.Errorf("the account was decrypted %d times more", n)
	}
}
