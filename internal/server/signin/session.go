package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity"
)

// Session is a session that has begun.
type Session struct {
	// Browser has its two halves.
	Browser

	By identity.Principal
	// Ends is when it ends in any case.
	Ends time.Time
}

// Browser holds the two halves of a session that a browser sends. Neither counts alone:
// other programs on this machine may receive or set a cookie, because cookies ignore ports,
// and only pages of one origin can read the secret.
type Browser struct {
	// Cookie is the value of the cookie.
	Cookie string
	// Page is the secret of the pages, as [IsPage] has it.
	Page string
}

// pageForm is a secret of pages: at least 256 bits in hexadecimal digits, or as many letters.
var pageForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43,128}$`)

// IsPage reports whether a text can be the secret of pages.
func IsPage(text string) bool { return pageForm.MatchString(text) }

// record is a session in the bucket.
type record struct {
	// Key is the API key that it began with, Person the person whom an issuer has named.
	Key    *identity.KeyRef `json:"key,omitempty"`
	Person *person          `json:"person,omitempty"`
	Begun  time.Time        `json:"begun"`
	// Used is when it was used last, to about a sixteenth of the idle time.
	Used time.Time `json:"used"`
}

type person struct {
	Issuer string          `json:"issuer"`
	Tenant string          `json:"tenant"`
	User   string          `json:"user"`
	Name   string          `json:"name"`
	Roles  []identity.Role `json:"roles"`
}

// credential returns the text that all sessions of one credential share.
func (r record) credential() string {
	if r.Key != nil {
		return "key\x00" + r.Key.ID
	}
	return strings.Join([]string{"person", r.Person.Issuer, r.Person.Tenant, r.Person.User}, "\x00")
}

const (
	// maxSessions bounds the sessions of one credential: with one more, the oldest ends.
	maxSessions = 20
	// touches is the number of times that the use of a session is noted in its idle time.
	touches = 16
	// minLife is the shortest time to live that a bucket has.
	minLife = time.Second
)

// cookieForm is a cookie: which credential, and 260 random bits.
var cookieForm = regexp.MustCompile(`^([0-9a-f]{16})\.([A-Z2-7]{52})$`)

func digest(label, text string) string {
	sum := sha256.Sum256([]byte("helve sign-in " + label + "\x00" + text))
	return hex.EncodeToString(sum[:])
}

// keyOf returns the key of the bucket for a session, which holds a hash of both halves.
func keyOf(b Browser) (key string, ok bool) {
	m := cookieForm.FindStringSubmatch(b.Cookie)
	if m == nil || !IsPage(b.Page) {
		return "", false
	}
	return m[1] + "." + digest("session", m[2]+"\x00"+b.Page), true
}

// begin stores a new session of the pages with a secret. It is on the trail before it can be
// used.
func (s *Service) begin(ctx context.Context, by identity.Principal, r record, page, way string) (Session, error) {
	now := s.Now().UTC()
	r.Begun, r.Used = now, now
	owner := digest("credential", r.credential())[:16]
	b := Browser{Cookie: owner + "." + rand.Text() + rand.Text(), Page: page}
	key, ok := keyOf(b)
	if !ok {
		return Session{}, errors.New("a session needs the secret of its pages")
	}
	value, err := json.Marshal(r)
	if err != nil {
		return Session{}, err
	}
	if err := s.makeRoom(ctx, owner); err != nil {
		return Session{}, err
	}
	if err := s.Record(ctx, by, Event{Begins: true, Way: way}); err != nil {
		return Session{}, err
	}
	if err := s.Bucket.PutAt(ctx, key, value, 0, s.left(r, now)); err != nil {
		return Session{}, err
	}
	by.SessionEnds = now.Add(s.Life)
	return Session{Browser: b, By: by, Ends: by.SessionEnds}, nil
}

// makeRoom ends the oldest sessions of a credential beyond the bound.
func (s *Service) makeRoom(ctx context.Context, owner string) error {
	type old struct {
		key   string
		begun time.Time
	}
	var all []old
	err := s.Bucket.LoadBelow(ctx, owner, func(key string, value []byte) {
		var r record
		_ = json.Unmarshal(value, &r) // what cannot be read is the oldest
		all = append(all, old{key, r.Begun})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b old) int { return b.begun.Compare(a.begun) })
	for len(all) >= maxSessions {
		last := len(all) - 1
		if err := s.Bucket.Forget(ctx, all[last].key); err != nil {
			return err
		}
		all = all[:last]
	}
	return nil
}

// left returns how long a session is kept if it is not used again.
func (s *Service) left(r record, now time.Time) time.Duration {
	return max(min(s.Idle, r.Begun.Add(s.Life).Sub(now)), minLife)
}

// errOver is the only error for a browser without a session.
func errOver() error {
	return &identity.Failure{Status: http.StatusUnauthorized, Msg: "the session is over; sign in again"}
}

// Identify returns the principal of a browser, as it is now. The error for a session that is
// over is an [*identity.Failure].
func (s *Service) Identify(ctx context.Context, b Browser) (identity.Principal, error) {
	key, r, revision, err := s.read(ctx, b)
	if err != nil {
		return identity.Principal{}, err
	}
	by, err := s.principal(r)
	if err != nil {
		return identity.Principal{}, err
	}
	if now := s.Now().UTC(); now.Sub(r.Used) >= s.Idle/touches {
		r.Used = now
		value, err := json.Marshal(r)
		if err != nil {
			return identity.Principal{}, err
		}
		// At another revision it was noted elsewhere, or is over: it must not come back.
		if err := s.Bucket.PutAt(ctx, key, value, revision, s.left(r, now)); err != nil && !errors.Is(err, natsio.ErrExists) {
			return identity.Principal{}, err
		}
	}
	by.SessionEnds = r.Begun.Add(s.Life)
	return by, nil
}

// read returns the session of a browser.
func (s *Service) read(ctx context.Context, b Browser) (key string, r record, revision uint64, err error) {
	key, ok := keyOf(b)
	if !ok {
		return "", r, 0, errOver()
	}
	value, revision, err := s.Bucket.GetRevision(ctx, key)
	if err != nil {
		return "", r, 0, err
	}
	now := s.Now()
	if value == nil || json.Unmarshal(value, &r) != nil || (r.Key == nil) == (r.Person == nil) ||
		now.Sub(r.Used) >= s.Idle || now.Sub(r.Begun) >= s.Life {
		return "", r, 0, errOver()
	}
	return key, r, revision, nil
}

// principal returns what the credential of a session is worth now.
func (s *Service) principal(r record) (identity.Principal, error) {
	if r.Key != nil {
		return s.Auth.Referred(*r.Key)
	}
	if !s.Ways().OIDC || s.Issuer.URL != r.Person.Issuer {
		return identity.Principal{}, errOver()
	}
	p := r.Person
	return identity.Principal{Tenant: p.Tenant, User: p.User, Name: p.Name, Roles: p.Roles}, nil
}

// End ends the session of a browser, if there is one. It ends even if that cannot be
// recorded.
func (s *Service) End(ctx context.Context, b Browser) error {
	key, r, _, err := s.read(ctx, b)
	if _, over := errors.AsType[*identity.Failure](err); over {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.Bucket.Forget(ctx, key); err != nil {
		return err
	}
	by, err := s.principal(r)
	if _, revoked := errors.AsType[*identity.Failure](err); revoked {
		return nil
	}
	if err != nil {
		return err
	}
	way := byKey
	if r.Person != nil {
		way = byIssuer
	}
	return s.Record(ctx, by, Event{Way: way})
}
