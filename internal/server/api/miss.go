package api

import (
	"context"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/identity"
)

// missTime is the minimum duration of "not found" for a caller who does not see
// everything: longer than any look-up takes in a healthy system. Without it the answer
// for somebody else's call would be faster than that for an unused call_id.
const missTime = 250 * time.Millisecond

// Slowed returns err, and if it is "not found", not before missTime after begun.
func Slowed(ctx context.Context, by identity.Principal, begun time.Time, err error) error {
	failure, _ := AsRequestError(err)
	if err == nil || failure.Status != http.StatusNotFound || by.Open || by.Oversees() {
		return err
	}
	wait := time.NewTimer(missTime - time.Since(begun))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	return err
}

// private are the operations on items that belong to one person.
var private = map[string]bool{
	"calls.get": true, "calls.cancel": true, "programs.get": true, "programs.retry": true, "consent.get": true, "consent.decide": true,
}
