package consent

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus"
)

const (
	joinTries = 5
	// opening is how long whoever opens a request may take until its call is
	// parked. One that died in between leaves a request that nobody opens.
	opening = 5 * time.Second
)

// join makes r a part of the request that is open for the same permissions of
// the same user and agent, if there is one, and else the one that others join.
func (p *Parker) join(ctx context.Context, r *Request) error {
	key, own := askKey(r), r.ConsentID+" "+strconv.FormatInt(time.Now().UnixMilli(), 10)
	for range joinTries {
		err := p.Asks.Create(ctx, key, []byte(own))
		if !errors.Is(err, bus.ErrExists) {
			return err
		}
		open, err := p.Asks.Get(ctx, key)
		if err != nil {
			return err
		}
		id, since := opened(open)
		switch {
		case open == nil:
			continue // it was closed in between
		case id == r.ConsentID:
			return nil // an earlier attempt of this call opened it
		}
		there, err := p.open(ctx, r.Tenant, id, since)
		if err != nil {
			return err
		}
		if there != nil {
			r.ConsentID, r.ExpiresAt = there.ConsentID, there.ExpiresAt
			return nil
		}
		err = p.Asks.Replace(ctx, key, open, []byte(own))
		if !errors.Is(err, bus.ErrExists) {
			return err
		}
	}
	return fmt.Errorf("the request for %s changes too quickly", list(r.Permissions))
}

// opened reads which consent a request is asked under, and since when.
func opened(value []byte) (consentID string, since time.Time) {
	id, at, _ := strings.Cut(string(value), " ")
	ms, _ := strconv.ParseInt(at, 10, 64) // what is unreadable is long ago
	return id, time.UnixMilli(ms)
}

// open returns the request of a consent that can be joined, or nil if it is
// over or was never opened.
func (p *Parker) open(ctx context.Context, tenant, consentID string, since time.Time) (*Request, error) {
	verdict, err := p.Bus.Verdict(ctx, tenant, consentID)
	if err != nil || verdict != nil {
		return nil, err
	}
	parked, err := p.Bus.ParkedFor(ctx, tenant, consentID)
	switch {
	case err != nil:
		return nil, err
	case parked == nil && time.Since(since) > opening:
		return nil, nil
	case parked == nil:
		return nil, fmt.Errorf("consent %s is being opened", consentID)
	}
	r := new(Request)
	if err := json.Unmarshal(parked.Request, r); err != nil {
		return nil, err
	}
	if time.Now().After(r.ExpiresAt) {
		return nil, nil
	}
	return r, nil
}

// askKey is where it is noted which request is open for some permissions. The
// agent is part of it: the agent that asked must not decide, and nobody else's
// answer may stand for its own.
func askKey(r *Request) string {
	permissions := slices.Sorted(slices.Values(r.Permissions))
	return r.Tenant + "." + r.User + "." + short(r.Agent+"\n"+strings.Join(permissions, "\n"))
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// short is a name of 26 letters for any text.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters.EncodeToString(sum[:16])
}
