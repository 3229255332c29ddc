package consent

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
)

const (
	joinTries = 5
	// opening is the time in which the opener of a request must park its call. If it
	// died in between, nobody else opens the request.
	opening = 5 * time.Second
)

// join adds r to the open request for the same permissions of the same user and agent,
// if there is one, and otherwise makes r the request that others join.
func (p *Parker) join(ctx context.Context, r *protocol.Consent) error {
	key, own := askKey(r), r.ID+" "+strconv.FormatInt(time.Now().UnixMilli(), 10)
	for range joinTries {
		err := p.Asks.Create(ctx, key, []byte(own))
		if !errors.Is(err, natsio.ErrExists) {
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
		case id == r.ID:
			return nil // an earlier attempt of this call opened it
		}
		there, err := p.open(ctx, r.Tenant, id, since)
		if err != nil {
			return err
		}
		if there != nil {
			if err := p.takePlace(ctx, r.Tenant, there.ID, r.Call.CallID); err != nil {
				return err
			}
			r.ID, r.ExpiresAt = there.ID, there.ExpiresAt
			return nil
		}
		err = p.Asks.Replace(ctx, key, open, []byte(own))
		if !errors.Is(err, natsio.ErrExists) {
			return err
		}
	}
	return fmt.Errorf("the request for %s changes too quickly", list(r.Permissions))
}

const (
	// places is the number of calls that may share a request. They are all read and
	// carried out together when it is decided.
	places = 1024
	// placeTries is the number of places that a call tries.
	placeTries = 16
)

// takePlace takes one of the places of a consent for a call, or finds the place of an earlier
// delivery of the call. It returns a *tool.Error if none is free.
func (p *Parker) takePlace(ctx context.Context, tenant, consentID, callID string) error {
	h := fnv.New32a()
	_, _ = h.Write([]byte(callID))
	for i := range uint32(placeTries) {
		key := fmt.Sprintf("seats.%s.%s.%d", tenant, consentID, (h.Sum32()+i)%places)
		err := p.Asks.Create(ctx, key, []byte(callID))
		if !errors.Is(err, natsio.ErrExists) {
			return err
		}
		taken, err := p.Asks.Get(ctx, key)
		if err != nil || string(taken) == callID {
			return err
		}
	}
	return crowded()
}

// opened parses the consent and opening time of a request.
func opened(value []byte) (consentID string, since time.Time) {
	id, at, _ := strings.Cut(string(value), " ")
	ms, _ := strconv.ParseInt(at, 10, 64) // an unreadable time is long ago
	return id, time.UnixMilli(ms)
}

// open returns the request of a consent that can be joined, or nil if it is over or was
// never opened.
func (p *Parker) open(ctx context.Context, tenant, consentID string, since time.Time) (*protocol.Consent, error) {
	verdict, err := p.verdicts().Of(ctx, tenant, consentID)
	if err != nil || verdict != nil {
		return nil, err
	}
	parked, err := store.On(p.Queue).OpenerOf(ctx, tenant, consentID)
	switch {
	case err != nil:
		return nil, err
	case parked == nil && time.Since(since) > opening:
		return nil, nil
	case parked == nil:
		return nil, fmt.Errorf("consent %s is being opened", consentID)
	}
	r := new(protocol.Consent)
	if err := json.Unmarshal(parked.Request, r); err != nil {
		return nil, err
	}
	if time.Now().After(r.ExpiresAt) {
		return nil, nil
	}
	return r, nil
}

// askKey returns the key under which the open request for some permissions, or for an
// account, is stored.
// The agent is part of it: the agent that made the call must not decide, and an answer
// for another agent must not apply to it.
func askKey(r *protocol.Consent) string {
	permissions := slices.Sorted(slices.Values(r.Permissions))
	if r.Kind == protocol.ConsentAccount {
		permissions = []string{AccountOf(r.Service).Permission}
	}
	return r.Tenant + "." + r.User + "." + short(r.Agent+"\n"+strings.Join(permissions, "\n"))
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// short returns a name of 26 letters for any text.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters.EncodeToString(sum[:16])
}
