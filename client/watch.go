package client

import (
	"context"
	"time"
)

// watchEvery is the interval between looks at the inbox.
const watchEvery = time.Second

// WatchConsents calls each for every consent that waits for a user, or with an empty
// name for any user: first for those already waiting, then for new ones, within about a
// second, until ctx ends, when it returns nil. An error from each ends it too. A
// consent that is decided within that second may be missed.
func (c *Client) WatchConsents(ctx context.Context, user string, each func(Consent) error) error {
	return c.watch(ctx, user, watchEvery, each)
}

func (c *Client) watch(ctx context.Context, user string, every time.Duration, each func(Consent) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var told map[string]bool
	for {
		waiting, err := c.waiting(ctx, user)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		now := make(map[string]bool, len(waiting))
		for _, consent := range waiting {
			now[consent.ID] = true
			if told[consent.ID] {
				continue
			}
			if err := each(consent); err != nil {
				return err
			}
		}
		told = now
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// waiting returns all pending consents of a user.
func (c *Client) waiting(ctx context.Context, user string) ([]Consent, error) {
	var all []Consent
	f := ConsentFilter{Status: ConsentPending, User: user}
	for {
		page, err := c.Consents(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Consents...)
		if page.Next == "" {
			return all, nil
		}
		if page.Next == f.Cursor {
			return nil, foreign("the inbox has no end: its next page is the same again", nil)
		}
		f.Cursor = page.Next
	}
}
