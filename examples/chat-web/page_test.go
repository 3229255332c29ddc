package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/modeltest"
)

// startWeb starts the program; stop ends it as a signal would.
func startWeb(t *testing.T, m *modeltest.Server, data string) (url string, stop func()) {
	t.Helper()
	return startWebAs(t, []string{"--data", data, "--server", helve.url, "--model", "m", "--base-url", m.Base()})
}

func startWebAs(t *testing.T, args []string) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	address := queuetest.Addr(t)
	if i := slices.Index(args, "--listen"); i >= 0 {
		address = args[i+1]
	} else {
		args = append(args, "--listen", address)
	}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, args) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("chat-web ended with %v", err)
		}
	})
	t.Cleanup(stop)
	eventually(t, "chat-web answers", func() bool {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			err = conn.Close()
		}
		return err == nil
	})
	return "http://" + address, stop
}

// visitor is a page of somebody's, without the page.
type visitor struct {
	t      *testing.T
	url    string
	name   string
	cookie *http.Cookie
	asked  []client.Consent

	mu    sync.Mutex
	raw   strings.Builder // all that this page was ever sent
	shown []entry
}

// logIn opens a page for a person.
func logIn(t *testing.T, url, name string) *visitor {
	t.Helper()
	b := &visitor{t: t, url: url, name: name}
	said := b.post("login", map[string]string{"name": name}, nil)
	if said.status != http.StatusNoContent || len(said.cookies) != 1 {
		t.Fatalf("login = %+v", said)
	}
	b.cookie = said.cookies[0]
	if !b.cookie.HttpOnly || b.cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v, want one that no script and no other site can use", b.cookie)
	}
	b.follow()
	return b
}

// follow reads the page's event stream until the test, or the program, ends.
func (b *visitor) follow() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res := b.send(ctx, http.MethodGet, "events", nil, nil) //nolint:bodyclose // below
	ended := make(chan struct{})
	b.t.Cleanup(func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		defer res.Body.Close()
		name := ""
		for in := bufio.NewReader(res.Body); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			b.hear(&name, line)
		}
	}()
}

func (b *visitor) hear(name *string, line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.raw.WriteString(line)
	field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
	var err error
	switch {
	case field == "event":
		*name = value
	case field == "data" && *name == "entry":
		var e entry
		err = json.Unmarshal([]byte(value), &e)
		b.shown = append(b.shown, e)
	}
	if err != nil {
		b.t.Errorf("the page was sent %q: %v", line, err)
	}
}

func (b *visitor) send(ctx context.Context, method, path string, body any, header http.Header) *http.Response {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.url+"/"+path, strings.NewReader(string(text)))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	req.Host = req.Header.Get("Host")
	if b.cookie != nil {
		req.AddCookie(b.cookie)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// answer is the response to a page.
type answer struct {
	status  int
	text    string
	header  http.Header
	cookies []*http.Cookie
}

func (b *visitor) whole(method, path string, body any, header http.Header) answer {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res := b.send(ctx, method, path, body, header)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res.StatusCode, string(text), res.Header, res.Cookies()}
}

func (b *visitor) get(path string) answer {
	b.t.Helper()
	return b.whole(http.MethodGet, path, nil, nil)
}

func (b *visitor) post(path string, body any, header http.Header) answer {
	b.t.Helper()
	return b.whole(http.MethodPost, path, body, header)
}

func (b *visitor) say(text string) {
	b.t.Helper()
	eventually(b.t, "the model takes "+text, func() bool {
		return b.post("say", map[string]string{"text": text}, nil).status == http.StatusNoContent
	})
}

func (b *visitor) decide(consent string, grant bool) (int, string) {
	b.t.Helper()
	said := b.post("helve/v1/consents/"+consent+"/decision",
		map[string]any{"decision": map[bool]string{true: "grant", false: "deny"}[grant]}, nil)
	return said.status, said.text
}

// card waits for the n-th thing that this person is asked, from 1.
func (b *visitor) card(n int) client.Consent {
	b.t.Helper()
	eventually(b.t, "a card", func() bool { return len(b.look()) >= n })
	return b.asked[n-1]
}

// look reads what calls of the conversation wait for, and returns all that they ever did.
func (b *visitor) look() []client.Consent {
	b.t.Helper()
	b.mu.Lock()
	shown := slices.Clone(b.shown)
	b.mu.Unlock()
	for _, e := range shown {
		if e.Consent == "" || slices.ContainsFunc(b.asked, func(known client.Consent) bool { return known.ID == e.Consent }) {
			continue
		}
		said := b.get("helve/v1/consents/" + e.Consent)
		var c client.Consent
		if err := json.Unmarshal([]byte(said.text), &c); err != nil || said.status != http.StatusOK {
			b.t.Fatalf("the consent %s of %s = %+v, %v", e.Consent, b.name, said, err)
		}
		b.asked = append(b.asked, c)
		b.mu.Lock()
		b.raw.WriteString(said.text)
		b.mu.Unlock()
	}
	return b.asked
}

// text is all that was shown of a kind, joined.
func (b *visitor) text(kind string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all strings.Builder
	for _, e := range b.shown {
		if e.Kind == kind {
			all.WriteString(e.Error + e.Text)
		}
	}
	return all.String()
}

// sees waits until what is shown of a kind holds a text.
func (b *visitor) sees(kind, want string) {
	b.t.Helper()
	eventually(b.t, kind+" with "+want, func() bool { return strings.Contains(b.text(kind), want) })
}

// sent is all that this page was ever sent.
func (b *visitor) sent() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.raw.String()
}
