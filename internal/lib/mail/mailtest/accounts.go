package mailtest

import (
	"context"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// Accounts are entries whose access tokens are replaced, as those of accounts of people are.
type Accounts struct {
	Secrets

	// Next is the token in place of each refused token, and Err, if set, the error instead.
	Next string
	Err  error

	mu      sync.Mutex
	refused []string
}

// Refresh implements [tool.Refresher].
func (a *Accounts) Refresh(_ context.Context, service string, refused tool.ServiceEntry) (tool.ServiceEntry, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = append(a.refused, service+" "+refused.Data[tool.AccessToken])
	if a.Err != nil {
		return tool.ServiceEntry{}, false, a.Err
	}
	return Entry(tool.AccessToken, a.Next), true, nil
}

// Refused returns service and token of each refusal that was reported.
func (a *Accounts) Refused() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}
