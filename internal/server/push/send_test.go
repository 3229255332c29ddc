package push

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/helve-dev/helve/internal/ports/netguard"
)

const contact = "https://helve.example"

func newSender(t *testing.T, http HTTP) sender {
	t.Helper()
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		t.Fatal(err)
	}
	return sender{http, contact, keyPair{public, private}}
}

// deviceAt returns the device of a browser at an endpoint.
func deviceAt(t *testing.T, b browser, endpoint string) device {
	t.Helper()
	d, err := checked(b.at(endpoint))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSend: a push service gets an encrypted notification that only the device can read, signed,
// with the time that is left; its answer is the outcome.
func TestSend(t *testing.T) {
	t.Parallel()
	p, b := newPushService(t), newBrowser(t)
	s := newSender(t, p)
	for path, want := range map[string]outcome{
		"/taken": delivered, "/unknown": gone, "/gone": gone, "/large": refused, "/denied": refused, "/moved": refused,
	} {
		n := notification{[]byte(`{"body":"text"}`), topicOf("acme", "c-1"), time.Now().Add(90 * time.Second)}
		if got, cause := s.send(t.Context(), deviceAt(t, b, p.URL+path), n); got != want {
			t.Errorf("%s: %s %s, want %s", path, got, cause, want)
		}
		got := <-p.got
		if text, err := b.decrypt(got.body); text != `{"body":"text"}` || err != nil || len(got.body) != recordSize {
			t.Errorf("%s: the device reads %q, %v, in %d bytes", path, text, err, len(got.body))
		}
		if _, err := newBrowser(t).decrypt(got.body); err == nil {
			t.Error("another device reads it")
		}
		ttl, err := strconv.Atoi(got.header.Get("TTL"))
		if err != nil || ttl < 60 || ttl > 90 || got.header.Get("Urgency") != "high" || got.header.Get("Content-Encoding") != "aes128gcm" ||
			len(got.header.Get("Topic")) != 32 {
			t.Errorf("%s: the headers are %v", path, got.header)
		}
		p.checkSender(t, got.header, s.pair.public, contact)
		if len(p.got) != 0 {
			t.Errorf("%s was sent more than once", path)
		}
	}
}

// TestInternalAddress: the address of a device leads to no internal host, over a name or a number,
// unless the operator has listed it.
func TestInternalAddress(t *testing.T) {
	t.Parallel()
	p, b := newPushService(t), newBrowser(t)
	open := func(allow ...string) HTTP {
		guard, err := netguard.New(netguard.Options{Allow: allow})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(guard.Close)
		return guard
	}
	n := notification{[]byte("{}"), "topic", time.Now().Add(time.Minute)}
	for _, host := range []string{p.URL, strings.Replace(p.URL, "127.0.0.1", "localhost", 1), "https://169.254.169.254", "https://[::1]:1"} {
		if got, cause := newSender(t, open()).send(t.Context(), deviceAt(t, b, host+"/taken"), n); got != refused {
			t.Errorf("%s: %s %s, want refused", host, got, cause)
		}
	}
	// A listed host is reached, and has a certificate that the guard does not know.
	s := newSender(t, open(strings.TrimPrefix(p.URL, "https://")))
	if _, _, err := s.post(t.Context(), deviceAt(t, b, p.URL+"/taken"), n, time.Minute); err == nil || hopeless(err) {
		t.Errorf("a listed host: %v, want a failure that is not the guard's", err)
	}
	if len(p.got) != 0 {
		t.Error("an internal host was sent something")
	}
}

// service answers requests in place of a push service, in the time of a test.
type service func(n int, req *http.Request) (status int, after string, err error)

// times is a push service with the times of its requests.
type times struct {
	answer service
	at     []time.Duration
	since  time.Time
}

// DoOnce implements [HTTP].
func (s *times) DoOnce(req *http.Request) (*http.Response, error) {
	s.at = append(s.at, time.Since(s.since))
	status, after, err := s.answer(len(s.at), req)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
}

// TestAgain: a push service that is busy, fails or hangs is asked again a few times, not before it
// wants, and not after the request has expired.
func TestAgain(t *testing.T) {
	t.Parallel()
	busy := func(after string) service {
		return func(n int, _ *http.Request) (int, string, error) {
			if n == 1 {
				return http.StatusTooManyRequests, after, nil
			}
			return http.StatusCreated, "", nil
		}
	}
	hangs := func(_ int, req *http.Request) (int, string, error) {
		<-req.Context().Done()
		return 0, "", req.Context().Err()
	}
	always := func(status int) service {
		return func(int, *http.Request) (int, string, error) { return status, "", nil }
	}
	const s = time.Second
	for name, tt := range map[string]struct {
		answer service
		life   time.Duration // of the consent
		want   outcome
		at     []time.Duration
	}{
		"busy":                       {busy(""), time.Hour, delivered, []time.Duration{0, 2 * s}},
		"busy for a time":            {busy("30"), time.Hour, delivered, []time.Duration{0, 30 * s}},
		"busy until a time":          {busy("Sat, 01 Jan 2000 00:00:20 GMT"), time.Hour, delivered, []time.Duration{0, 20 * s}},
		"busy for too long":          {busy("3600"), time.Hour, givenUp, []time.Duration{0}},
		"failing":                    {always(503), time.Hour, givenUp, []time.Duration{0, 2 * s, 10 * s, 42 * s}},
		"hanging":                    {hangs, time.Hour, givenUp, []time.Duration{0, 12 * s, 30 * s, 72 * s}},
		"a consent that expires":     {always(503), 5 * s, givenUp, []time.Duration{0, 2 * s}},
		"a consent that has expired": {always(201), 0, givenUp, nil},
		"away": {
			func(int, *http.Request) (int, string, error) { return 0, "", errors.New("no route") }, time.Hour, givenUp,
			[]time.Duration{0, 2 * s, 10 * s, 42 * s},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t)
			synctest.Test(t, func(t *testing.T) {
				p := &times{answer: tt.answer, since: time.Now()}
				ctx, cancel := contextWithin(t)
				defer cancel()
				out, _ := newSender(t, p).send(ctx, deviceAt(t, b, "https://push.example/x"),
					notification{[]byte("{}"), "topic", time.Now().Add(tt.life)})
				if out != tt.want || !equal(p.at, tt.at) {
					t.Errorf("%s at %v, want %s at %v", out, p.at, tt.want, tt.at)
				}
			})
		})
	}
}
