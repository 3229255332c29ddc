package callback

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

func newKeys(t *testing.T) vault.Wrapper {
	t.Helper()
	text, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := vault.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// broken is a wrapper whose keys cannot be read.
type broken struct{ vault.None }

func (broken) Current(context.Context) (string, error) { return "", errors.New("canary") }

func TestCheck(t *testing.T) {
	t.Parallel()
	s := &Service{Hosts: []string{"hooks.example", "10.0.0.1:8080", "[::1]:9"}, Keys: newKeys(t)}
	for _, url := range []string{
		"https://hooks.example", "http://hooks.example/a/b?c=d&e=%20", "http://10.0.0.1:8080/x", "http://[::1]:9/", "https://hooks.example?x",
	} {
		if err := s.Check(t.Context(), &protocol.Callback{
			URL: url, Headers: map[string]string{"Authorization": "Bearer x", "X-Empty": "", "Cookie": "a=b\tc"},
		}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{
		"https://HOOKS.example", "http://hooks.example:80", "http://10.0.0.1", "http://[0:0::1]:9/", "http://hooks.example:/",
		"https://hooks%2eexample.evil",
	} {
		if err := s.Check(t.Context(), &protocol.Callback{URL: url}); err == nil {
			t.Errorf("%s is accepted", url)
		}
	}
	to := &protocol.Callback{URL: "https://hooks.example", Headers: map[string]string{"A": "b"}}
	s.Keys = broken{}
	if err := s.Check(t.Context(), to); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("with keys that cannot be read: %v", err)
	}
	s.Keys = vault.None{}
	if err := s.Check(t.Context(), to); err == nil || !strings.Contains(err.Error(), "--secrets-key") {
		t.Errorf("without a key: %v", err)
	}
}

// FuzzParse: what is accepted is sent to the host that was compared, and has no way to show
// another one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"http://hooks.example/x", "http://a@hooks.example", "http://hooks.example#", `http://hooks.example\@b`, "http://[::1]:9",
		"//hooks.example", "http://hooks.example:80:90/", "http://%68ooks.example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parse(text)
		if err != nil {
			return
		}
		rest, found := strings.CutPrefix(strings.ToLower(text), u.Scheme+"://")
		if !found || u.User != nil || u.Fragment != "" || !strings.HasPrefix(rest, strings.ToLower(u.Host)) && !strings.Contains(rest, "%") {
			t.Errorf("%q is accepted as %q", text, u)
		}
		if hostOf(text) != u.Host {
			t.Errorf("%q has two hosts", text)
		}
	})
}

func TestSeal(t *testing.T) {
	t.Parallel()
	keys, headers := newKeys(t), map[string]string{"Authorization": "canary"}
	k := key("acme", "c1", "https://hooks.example")
	sealed, err := seal(t.Context(), keys, k, "https://hooks.example", headers)
	if err != nil || strings.Contains(string(sealed), "canary") {
		t.Fatalf("seal = %s, %v", sealed, err)
	}
	c := callbacks.Callback{URL: "https://hooks.example", Headers: sealed}
	if got, err := unseal(t.Context(), keys, k, &c); err != nil || !maps.Equal(got, headers) {
		t.Errorf("unseal = %v, %v", got, err)
	}
	c.URL = "https://hooks.example/other"
	if got, err := unseal(t.Context(), keys, k, &c); !errors.Is(err, vault.ErrDamaged) {
		t.Errorf("for another URL: %v, %v", got, err)
	}
	c.URL = "https://hooks.example"
	if got, err := unseal(t.Context(), keys, key("acme", "c2", c.URL), &c); !errors.Is(err, vault.ErrDamaged) {
		t.Errorf("for another call: %v, %v", got, err)
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	value := sign(private, time.Unix(1700000000, 5), []byte(`{"a":1}`))
	text, ok := strings.CutPrefix(value, "t=1700000000,ed25519=")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || !ed25519.Verify(public, []byte(`1700000000.{"a":1}`), sum) {
		t.Errorf("signature %q: %v", value, err)
	}
}

func TestOfCall(t *testing.T) {
	t.Parallel()
	call := queue.Acceptance{Tool: "echo", ArgsHash: "h", User: "ann"}
	for element, want := range map[string]bool{
		`{"tool":"echo","args_hash":"h","owner":{"user":"ann"}}`: true,
		`{"tool":"echo"}`: true, // of a call that did not start
		`{"tool":"echo","args_hash":"h","owner":{"user":"bob"}}`:  false,
		`{"tool":"echo","args_hash":"h2","owner":{"user":"ann"}}`: false,
		`{"tool":"other","owner":{"user":"ann"}}`:                 false,
		`garbage`: false,
	} {
		if got := ofCall([]byte(element), call); got != want {
			t.Errorf("%s: %v, want %v", element, got, want)
		}
	}
}
