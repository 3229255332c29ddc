package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// masterKey returns a new master key.
func masterKey(t *testing.T) (text string, keys *vault.Keys) {
	t.Helper()
	text, err := vault.Generate()
	if err == nil {
		keys, err = vault.Parse(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text, keys
}

// newService returns the service of one more dispatcher on a server.
func newService(t *testing.T, srv *embedded.Server, keys vault.Wrapper, http HTTP) *Service {
	t.Helper()
	q := queuetest.Connect(t, srv)
	bucket, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketPush)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Queue: q, Bucket: bucket, Keys: keys, HTTP: http, Contact: contact, Metrics: telemetry.NewMetrics(), Log: zap.NewNop()})
}

// ask puts a request for u1 of acme into the inbox.
func (s *Service) ask(t *testing.T, id string, life time.Duration) {
	t.Helper()
	request, err := json.Marshal(protocol.Consent{
		ID: id, Tenant: "acme", User: "u1", Agent: "helper", Tool: "delete_file", Arguments: json.RawMessage(`{"path":"a.txt"}`),
		ExpiresAt: time.Now().Add(life),
	})
	if err == nil {
		err = store.On(s.Queue).Ask(queuetest.Context(t), "acme", "u1", id, request)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *Service) subscribe(t *testing.T, user string, b browser, endpoint string, lang sentence.Language) {
	t.Helper()
	if err := s.Subscribe(queuetest.Context(t), "acme", user, b.at(endpoint), lang); err != nil {
		t.Fatal(err)
	}
}

// endpoints returns the endpoints of a person of acme.
func (s *Service) endpoints(t *testing.T, user string) (all []string) {
	t.Helper()
	list, err := s.List(queuetest.Context(t), "acme", user)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		all = append(all, d.Endpoint)
	}
	return all
}

// TestNotify: of two dispatchers one sends a request, to each device of the person and to no other
// person's, with the sentence in the language of the device; a device that is gone is removed.
func TestNotify(t *testing.T) {
	t.Parallel()
	srv, p, b := queuetest.Server(t), newPushService(t), newBrowser(t)
	_, keys := masterKey(t)
	one, two := newService(t, srv, keys, p), newService(t, srv, keys, p)
	one.subscribe(t, "u1", b, p.URL+"/taken", sentence.English)
	two.subscribe(t, "u1", b, p.URL+"/gone", sentence.German)
	one.subscribe(t, "u2", b, p.URL+"/denied", sentence.English)
	for _, s := range []*Service{one, two} {
		if err := s.Serve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	public, err := one.Key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const requests = 5
	for i := range requests {
		one.ask(t, fmt.Sprint("c-", i), time.Minute)
	}
	one.ask(t, "c-expired", -time.Minute)
	texts := map[string]int{}
	for texts["/gone"] == 0 || len(texts) < 1+requests {
		got := queuetest.Receive(t, p.got, "notification")
		text, err := b.decrypt(got.body)
		if err != nil {
			t.Fatal(err)
		}
		p.checkSender(t, got.header, public, contact)
		var n notice
		if err := json.Unmarshal([]byte(text), &n); err != nil || n.Path != "/consents/"+n.ConsentID {
			t.Errorf("the notification is %s, %v", text, err)
		}
		switch got.path {
		case "/taken":
			texts[n.ConsentID]++
			if n.Title != "helper asks for approval" || n.Body != `Delete the file a.txt` || n.Language != sentence.English {
				t.Errorf("the notification is %+v", n)
			}
		case "/gone":
			texts["/gone"]++
			if n.Title != "helper bittet um Erlaubnis" || !strings.HasPrefix(n.Body, "Die Datei a.txt löschen") || n.Language != sentence.German {
				t.Errorf("the notification in German is %+v", n)
			}
		default:
			t.Errorf("%s was sent to the device of another person", text)
		}
	}
	for i := range requests {
		if n := texts[fmt.Sprint("c-", i)]; n != 1 {
			t.Errorf("c-%d was sent %d times", i, n)
		}
	}
	queuetest.Until(t, "the device is removed", func() bool { return slices.Equal(one.endpoints(t, "u1"), []string{p.URL + "/taken"}) })
	count := func(out outcome) int {
		return counted(t, one.Metrics, out) + counted(t, two.Metrics, out)
	}
	queuetest.Until(t, "all is counted", func() bool { return count(delivered) == requests && count(gone) >= 1 })
	if texts["c-expired"] != 0 {
		t.Error("a request that has expired was sent")
	}
}

// counted returns the notifications with an outcome.
func counted(t *testing.T, m *telemetry.Metrics, out outcome) int {
	t.Helper()
	want := `helve_push_total{outcome="` + string(out) + `"} `
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if after, ok := strings.CutPrefix(line, want); ok {
			var n int
			if _, err := fmt.Sscan(after, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("there is no %s", want)
	return 0
}

// hanging is a push service that does not answer.
type hanging chan struct{}

// DoOnce implements [HTTP].
func (h hanging) DoOnce(req *http.Request) (*http.Response, error) {
	h <- struct{}{}
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// TestHanging: while a push service does not answer, what must be done for a consent is done, and
// with the end of the dispatcher another one sends the notification.
func TestHanging(t *testing.T) {
	t.Parallel()
	srv, hung, p, b := queuetest.Server(t), make(hanging, 100), newPushService(t), newBrowser(t)
	_, keys := masterKey(t)
	first := newService(t, srv, keys, hung)
	first.subscribe(t, "u1", b, p.URL+"/taken", sentence.English)
	life, end := context.WithCancel(t.Context())
	if err := first.Serve(life); err != nil {
		t.Fatal(err)
	}
	asked := make(chan natsio.Work, 10)
	if err := store.On(first.Queue).ServeAsked(t.Context(), func(_ context.Context, w natsio.Work) error { asked <- w; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c-1", "c-2"} {
		first.ask(t, id, time.Hour)
		queuetest.Receive(t, hung, "request to the push service")
		queuetest.Receive(t, asked, "request in the inbox")
	}
	end()
	if err := newService(t, srv, keys, p).Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		queuetest.Receive(t, p.got, "notification by the other dispatcher")
	}
}

// TestKeyPair: all dispatchers have one key pair, which cannot be read without the master key, and
// which a new master key protects after services.rotate.
func TestKeyPair(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	text, keys := masterKey(t)
	services := []*Service{newService(t, srv, keys, nil), newService(t, srv, keys, nil), newService(t, srv, keys, nil)}
	made := make(chan keyPair, len(services))
	for _, s := range services {
		go func() {
			pair, err := s.pair(t.Context())
			if err != nil {
				t.Error(err)
			}
			made <- pair
		}()
	}
	pair := <-made
	for range len(services) - 1 {
		if other := <-made; other != pair {
			t.Errorf("the key pairs are %s and %s", pair.public, other.public)
		}
	}
	value, err := services[0].Bucket.Get(t.Context(), keyName)
	if err != nil || !strings.Contains(string(value), pair.public) || strings.Contains(string(value), pair.private) {
		t.Errorf("the bucket has %s, %v", value, err)
	}

	next, _ := masterKey(t)
	both, err := vault.Parse(next + "\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	changing := newService(t, srv, both, nil)
	for _, want := range []bool{true, false} {
		if changed, err := changing.Rewrap(t.Context()); changed != want || err != nil {
			t.Errorf("Rewrap = %v, %v, want %v", changed, err, want)
		}
	}
	only, err := vault.Parse(next)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := newService(t, srv, only, nil).pair(t.Context()); got != pair || err != nil {
		t.Errorf("with the new master key: %s, %v", got.public, err)
	}
	for name, keys := range map[string]vault.Wrapper{"without a master key": vault.None{}, "with the old one": keys} {
		s := newService(t, srv, keys, nil)
		_, err := s.Key(t.Context())
		if e, ok := errors.AsType[*api.RequestError](err); !ok || e.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: Key = %v, want 503", name, err)
		}
		if err := s.Subscribe(t.Context(), "acme", "u1", newBrowser(t).at("https://push.example/x"), sentence.English); err == nil {
			t.Errorf("%s a device subscribes", name)
		}
	}
}

// TestDevices: a person has at most so many devices, the newest; a device that subscribes again is one;
// other people's are apart, and deleting a person's data removes theirs.
func TestDevices(t *testing.T) {
	t.Parallel()
	_, keys := masterKey(t)
	s, b, ctx := newService(t, queuetest.Server(t), keys, nil), newBrowser(t), queuetest.Context(t)
	at := func(i int) string { return fmt.Sprint("https://push.example/", i) }
	for i := range Devices + 2 {
		s.subscribe(t, "u1", b, at(i), sentence.English)
	}
	s.subscribe(t, "u1", b, at(5), sentence.German)
	s.subscribe(t, "u2", b, at(0), sentence.English)
	var want []string
	for _, i := range []int{2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 5} {
		want = append(want, at(i))
	}
	if got := s.endpoints(t, "u1"); !slices.Equal(got, want) {
		t.Errorf("the devices are %v, want %v", got, want)
	}
	if found, err := s.Unsubscribe(ctx, "acme", "u1", at(0)); found || err != nil {
		t.Errorf("the device of another person: %v, %v", found, err)
	}
	if found, err := s.Unsubscribe(ctx, "acme", "u1", at(7)); !found || err != nil || slices.Contains(s.endpoints(t, "u1"), at(7)) {
		t.Errorf("Unsubscribe = %v, %v", found, err)
	}
	if err := s.Forget(ctx, "acme", "u1"); err != nil || len(s.endpoints(t, "u1")) != 0 || len(s.endpoints(t, "u2")) != 1 {
		t.Errorf("Forget = %v", err)
	}
	if found, err := s.Unsubscribe(ctx, "acme", "u2", at(0)); !found || err != nil || len(s.endpoints(t, "u2")) != 0 {
		t.Errorf("the last device: %v, %v", found, err)
	}
	s.subscribe(t, "u2", b, at(0), sentence.English)
	if got := s.endpoints(t, "u2"); !slices.Equal(got, []string{at(0)}) {
		t.Errorf("after the last one was removed: %v", got)
	}
}

// TestChecked: what is no subscription of a browser is refused.
func TestChecked(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	for name, change := range map[string]func(*protocol.PushSubscription){
		"plain HTTP": func(s *protocol.PushSubscription) { s.Endpoint = "http://push.example/x" },
		"no address": func(s *protocol.PushSubscription) { s.Endpoint = "push" },
		"no host":    func(s *protocol.PushSubscription) { s.Endpoint = "https:///x" },
		"a password": func(s *protocol.PushSubscription) { s.Endpoint = "https://u:p@push.example/x" },
		"a fragment": func(s *protocol.PushSubscription) { s.Endpoint = "https://push.example/#x" },
		"a long address": func(s *protocol.PushSubscription) {
			s.Endpoint = "https://push.example/" + strings.Repeat("x", maxEndpoint)
		},
		"no key":                 func(s *protocol.PushSubscription) { s.Keys.P256dh = "" },
		"a key not on the curve": func(s *protocol.PushSubscription) { s.Keys.P256dh = "BA" + strings.Repeat("A", 85) },
		"a key of other letters": func(s *protocol.PushSubscription) { s.Keys.P256dh = "?" + s.Keys.P256dh[1:] },
		"a short secret":         func(s *protocol.PushSubscription) { s.Keys.Auth = "AAAA" },
	} {
		s := b.at("https://push.example/x")
		change(&s)
		_, err := checked(s)
		if e, ok := errors.AsType[*api.RequestError](err); !ok || e.Status != http.StatusBadRequest {
			t.Errorf("%s: %v, want 400", name, err)
		}
	}
}

// TestNotices: each kind of request has its words in each language, and the longest one fits.
func TestNotices(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`"\ä`, 5000)
	for _, lang := range []sentence.Language{sentence.English, sentence.German, "fr", ""} {
		for _, c := range []protocol.Consent{
			{Tool: "delete_file", Arguments: json.RawMessage(`{"path":"a"}`)},
			{Kind: protocol.ConsentQuestion, Question: long, Agent: "a"},
			{Kind: protocol.ConsentAccount, Service: "google", Agent: strings.Repeat("a", 64)},
		} {
			c.ID = strings.Repeat("c", 128)
			payload, err := noticeOf(lang, &c)
			var n notice
			if err == nil {
				err = json.Unmarshal(payload, &n)
			}
			if err != nil || n.Title == "" || strings.Contains(n.Title, "%!") || n.Body == "" || len(payload) > recordSize-103 {
				t.Errorf("%q %q: %d bytes, %v: %.200s", lang, c.Kind, len(payload), err, payload)
			}
		}
	}
}
