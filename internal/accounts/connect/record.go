package connect

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// record is a stored attempt to connect an account: in the clear what identifies it,
// encrypted the value with which it goes on.
type record struct {
	Clear  json.RawMessage `json:"clear"`
	Sealed vault.Sealed    `json:"sealed"`
}

// attempt is the part of a record in the clear, which the encrypted part proves.
type attempt struct {
	Tenant  string    `json:"tenant"`
	User    string    `json:"user"`
	Service string    `json:"service"`
	Expires time.Time `json:"expires"`
	// Registration is the registration that the attempt is for.
	Registration string `json:"registration"`
	// Link is the connection that the state belongs to, empty if that is a consent.
	Link string `json:"link,omitempty"`
	// Browser is the hash of the cookie that the browser got.
	Browser string `json:"browser,omitempty"`
	// Redirect is where the provider sends the browser.
	Redirect string `json:"redirect,omitempty"`
	// Opened is set when a browser has opened the link.
	Opened bool `json:"opened,omitempty"`
	// Confirm is set in the state of a browser without a credential: its person must confirm
	// that the browser is theirs. Code is the hash of the code that it shows, and Tries the
	// number of wrong ones.
	Confirm bool   `json:"confirm,omitempty"`
	Code    string `json:"code,omitempty"`
	Tries   int    `json:"tries,omitempty"`
	// Known is set in the state of a person with a credential, who ends it with that: a cookie
	// alone may be somebody else's, because other ports of a host can set it.
	Known bool `json:"known,omitempty"`
	// Status is the outcome, empty while there is none.
	Status string `json:"status,omitempty"`
	// Next is when the provider may be asked again, and Interval the time between.
	Next     time.Time     `json:"next,omitzero"`
	Interval time.Duration `json:"interval,omitempty"`
	// Device is set if the person enters a code.
	Device *deviceTexts `json:"device,omitempty"`
}

// deviceTexts holds the part of a device code that the person sees.
type deviceTexts struct {
	Page     string `json:"page"`
	Complete string `json:"complete,omitempty"`
	UserCode string `json:"user_code"`
}

func (a *attempt) who() who { return who{a.Tenant, a.User, a.Service} }

// recordLabel keeps records and entries apart: the ciphertext of one cannot be the other.
const recordLabel = "connect"

func (a *attempt) place() vault.Place {
	return vault.Place{Tenant: a.Tenant, User: a.User, Service: a.Service, Label: recordLabel}
}

// secretName is the only encrypted value of a record: the verifier of a state, the device
// code, or the tokens of an account that is not confirmed.
const secretName = "secret"

// encode returns the bytes of an attempt with its secret.
func (s *Service) encode(ctx context.Context, a *attempt, secret string) ([]byte, error) {
	var r record
	var err error
	if r.Clear, err = json.Marshal(a); err != nil {
		return nil, err
	}
	if r.Sealed, err = vault.Seal(ctx, s.Store.Keys, a.place(), r.Clear, map[string]string{secretName: secret}); err != nil {
		return nil, keyless(err)
	}
	return json.Marshal(r)
}

// decode returns the attempt in stored bytes with its secret.
func (s *Service) decode(ctx context.Context, value []byte) (*attempt, string, error) {
	var r record
	a := new(attempt)
	if json.Unmarshal(value, &r) != nil || json.Unmarshal(r.Clear, a) != nil {
		return nil, "", vault.ErrDamaged
	}
	secrets, err := vault.Unseal(ctx, s.Store.Keys, a.place(), r.Clear, r.Sealed)
	if err != nil {
		return nil, "", keyless(err)
	}
	return a, secrets[secretName], nil
}

func keyless(err error) error {
	if errors.Is(err, vault.ErrNoKey) {
		return tool.Fail(tool.NotConfigured, "accounts cannot be connected, because this dispatcher has no master key to encrypt them with: "+
			"the operator starts it with --secrets-key FILE (helve config key makes a key)").Because(err)
	}
	return tool.Fail(tool.NotConfigured,
		"what is stored of this connection cannot be decrypted; start again, for example with helve config connect").Because(err)
}

// stateKey is where the record of a state is; the state itself is stored nowhere.
func stateKey(state string) string { return "state." + digest(state) }

func linkKey(id string) string { return "link." + id }

func digest(text string) string {
	sum := sha256.Sum256([]byte("helve connect\x00" + text))
	return hex.EncodeToString(sum[:])
}

// linkPrefix begins the ids of connections, so that they are told from consents.
const linkPrefix = "a-"

func random() string { return rand.Text() }

// mostOpen bounds the attempts of one person at one service that are kept: with one more,
// the oldest ends.
const mostOpen = 8

// add stores the record of a new attempt, and ends the oldest one of the person beyond the
// bound.
func (s *Service) add(ctx context.Context, w who, key string, value []byte, life time.Duration) error {
	if err := s.note(ctx, w, key, life); err != nil {
		return err
	}
	return s.Bucket.PutAt(ctx, key, value, 0, life)
}

// note adds a key to those of the person's attempts.
func (s *Service) note(ctx context.Context, w who, key string, life time.Duration) error {
	at := "open." + w.key()
	for range mostOpen {
		value, revision, err := s.Bucket.GetRevision(ctx, at)
		if err != nil {
			return err
		}
		var open []string
		if value != nil && json.Unmarshal(value, &open) != nil {
			open = nil
		}
		open = append(open, key)
		for len(open) > mostOpen {
			if err := s.forget(ctx, open[0]); err != nil {
				return err
			}
			open = open[1:]
		}
		if value, err = json.Marshal(open); err != nil {
			return err
		}
		if err = s.Bucket.PutAt(ctx, at, value, revision, 2*life); !errors.Is(err, natsio.ErrExists) {
			return err
		}
	}
	return tool.Fail(tool.Overloaded, "too many connections of %s begin at this moment; try again", w.user)
}

// forgetAll ends all attempts of a person.
func (s *Service) forgetAll(ctx context.Context, tenant, user string) error {
	lists, err := s.Bucket.Keys(ctx, "open."+who{tenant, user, "*"}.key())
	if err != nil {
		return err
	}
	for _, at := range lists {
		value, _, err := s.Bucket.GetRevision(ctx, at)
		if err != nil {
			return err
		}
		var open []string
		if value != nil && json.Unmarshal(value, &open) != nil {
			open = nil
		}
		for _, key := range append(open, at) {
			if err := s.forget(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) forget(ctx context.Context, key string) error {
	value, revision, err := s.Bucket.GetRevision(ctx, key)
	if value == nil || err != nil {
		return err
	}
	_, err = s.Bucket.ForgetAt(ctx, key, revision)
	return err
}

// update stores a changed attempt under its key. [natsio.ErrExists] means that another
// process has changed it.
func (s *Service) update(ctx context.Context, key string, a *attempt, secret string, revision uint64) error {
	value, err := s.encode(ctx, a, secret)
	if err != nil {
		return err
	}
	life := max(time.Until(a.Expires)+keptAfter, time.Second)
	return s.Bucket.PutAt(ctx, key, value, revision, life)
}

// load returns the attempt of a key, or nil.
func (s *Service) load(ctx context.Context, key string) (a *attempt, secret string, revision uint64, err error) {
	value, revision, err := s.Bucket.GetRevision(ctx, key)
	if value == nil || err != nil {
		return nil, "", 0, err
	}
	if a, secret, err = s.decode(ctx, value); err != nil {
		return nil, "", 0, fmt.Errorf("attempt: %w", err)
	}
	return a, secret, revision, nil
}

// linkForm is the form of the ids of connections. Those of requests come in an address.
var linkForm = regexp.MustCompile(`^` + linkPrefix + `[A-Z2-7]{20,128}$`)

// link returns the attempt of a connection, or nil.
func (s *Service) link(ctx context.Context, id string) (a *attempt, secret string, revision uint64, err error) {
	if !linkForm.MatchString(id) {
		return nil, "", 0, nil
	}
	return s.load(ctx, linkKey(id))
}

const (
	// flowTime is the time that a person has from the start to the end.
	flowTime = 10 * time.Minute
	// keptAfter is the time for which the outcome of a connection can be read.
	keptAfter = 5 * time.Minute
)
