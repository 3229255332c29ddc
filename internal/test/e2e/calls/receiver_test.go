package calls

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// post is one request that a receiver got.
type post struct {
	path, signature string
	header          http.Header
	body            []byte
	element         system.Element
}

// receiver is a server that is called back.
type receiver struct {
	*httptest.Server

	mu    sync.Mutex
	posts []post
	// answers are those to the next requests to a path; 200 after the last of them.
	answers map[string][]http.HandlerFunc
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{answers: map[string][]http.HandlerFunc{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body) // a part of it fails to verify
	p := post{path: req.URL.Path, signature: req.Header.Get("Helve-Signature"), header: req.Header.Clone(), body: body}
	_ = json.Unmarshal(body, &p.element) // as above
	r.mu.Lock()
	r.posts = append(r.posts, p)
	var answer http.HandlerFunc
	if next := r.answers[req.URL.Path]; len(next) > 0 {
		answer, r.answers[req.URL.Path] = next[0], next[1:]
	}
	r.mu.Unlock()
	if answer != nil {
		answer(w, req)
	}
}

// answer sets the answers to the next requests to a path.
func (r *receiver) answer(path string, answers ...http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = answers
}

// at returns the requests to a path.
func (r *receiver) at(path string) (posts []post) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.posts {
		if p.path == path {
			posts = append(posts, p)
		}
	}
	return posts
}

// await waits for the first n requests to a path.
func (r *receiver) await(t *testing.T, path string, n int) []post {
	t.Helper()
	system.Eventually(t, fmt.Sprintf("%d callbacks to %s", n, path), func() bool { return len(r.at(path)) >= n })
	return r.at(path)
}

// to returns the field callback of a request.
func (r *receiver) to(path string) string { return fmt.Sprintf(`"callback": {"url": %q}`, r.URL+path) }

func (r *receiver) host() string { return strings.TrimPrefix(r.URL, "http://") }

// allow returns a configuration that lists the receiver.
func (r *receiver) allow(more ...func(*config.Config)) func(*config.Config) {
	return func(c *config.Config) {
		c.Callbacks.AllowedHosts = []string{r.host()}
		for _, change := range more {
			change(c)
		}
	}
}

// launchReceiver starts a system that may call a new receiver back.
func launchReceiver(t *testing.T, p system.Plan, more ...func(*config.Config)) (*system.System, *receiver) {
	r := newReceiver(t)
	p.Config = r.allow(more...)
	return system.Launch(t, p), r
}

// verifyCallback checks the signature of a request as a receiver does that knows only the address
// of the system.
func verifyCallback(t *testing.T, d system.HTTPDoor, p post) {
	t.Helper()
	published := d.Send(t, "GET", "/v1/audit/public-key", "", nil)
	keys, err := keyfile.ParsePublicPEM(published.Body)
	if err != nil {
		t.Fatalf("public key: %v: %.200s", err, published.Body)
	}
	unix, signature, ok := strings.Cut(strings.TrimPrefix(p.signature, "t="), ",ed25519=")
	sum, err := base64.StdEncoding.DecodeString(signature)
	if !ok || err != nil {
		t.Fatalf("signature %q: %v", p.signature, err)
	}
	for _, key := range keys {
		if ed25519.Verify(key, append([]byte(unix+"."), p.body...), sum) {
			return
		}
	}
	t.Errorf("%q is no signature of %.100s by one of %d published keys", p.signature, p.body, len(keys))
}
