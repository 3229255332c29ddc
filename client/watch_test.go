package client

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// inboxes answers with one page after the other; the
// last one is given from then on.
func inboxes(pages ...string) func(asked) reply {
	n := 0
	return func(asked) reply {
		page := pages[min(n, len(pages)-1)]
		n++
		return reply{body: page}
	}
}

func waitingPage(next string, ids ...string) string {
	body := `{"consents":[`
	for i, id := range ids {
		if i > 0 {
			body += ","
		}
		body += `{"consent_id":"` + id + `"}`
	}
	return body + `],"next":"` + next + `"}`
}

func TestWatchConsents(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, inboxes(
				waitingPage("n", "k1"), waitingPage("", "k2"), // one look, two pages
				waitingPage("", "k2", "k3"),
				waitingPage("", "k3"),
				waitingPage("", "k3", "k1", "k4"), // k1 was gone and is back
			))
			ctx, cancel := context.WithCancel(t.Context())
			var seen []string
			err := connect(t, f).watch(ctx, "ada", time.Millisecond, func(c Consent) error {
				if seen = append(seen, c.ID); c.ID == "k4" {
					cancel()
				}
				return nil
			})
			if want := []string{"k1", "k2", "k3", "k1", "k4"}; err != nil || !slices.Equal(seen, want) {
				t.Errorf("watching shows %q, %v, want %q", seen, err, want)
			}
			wantAsked(t, f, "consent.list", map[string]any{"status": "pending", "user": "ada"})
		})
	}
}

func TestWatchConsentsEnds(t *testing.T) {
	enough := errors.New("enough")
	f := farHTTP(t, always(waitingPage("", "k1")))
	if err := connect(t, f).WatchConsents(t.Context(), "", func(Consent) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("the error of each ends watching with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := connect(t, f).WatchConsents(ctx, "", func(Consent) error { return enough }); err != nil {
		t.Errorf("watching without a context ends with %v, want nil", err)
	}
	f = farHTTP(t, func(asked) reply { return reply{status: 403, body: `{"error_type":"forbidden","detail":"no"}`} })
	err := connect(t, f).WatchConsents(t.Context(), "", nil)
	if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != Forbidden {
		t.Errorf("watching what one may not see ends with %v", err)
	}
	f = farHTTP(t, always(waitingPage("again", "k1")))
	if err := connect(t, f, WithRetry()).WatchConsents(t.Context(), "", nil); err == nil {
		t.Error("an inbox without an end is no error")
	}
}
