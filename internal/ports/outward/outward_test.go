package outward

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
)

// outside answers requests with what answer returns, and counts them.
type outside struct {
	mu     sync.Mutex
	sent   int
	answer func(req *http.Request) (*http.Response, error)
}

func (o *outside) Do(req *http.Request) (*http.Response, error) {
	o.mu.Lock()
	o.sent++
	answer := o.answer
	o.mu.Unlock()
	return answer(req)
}

func (o *outside) DoOnce(req *http.Request) (*http.Response, error) { return o.Do(req) }

func (o *outside) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	_, err := o.Do((&http.Request{URL: &url.URL{Scheme: "tcp", Host: address}}).WithContext(ctx))
	return nil, err
}

func (o *outside) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent
}

func status(code int) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: http.NoBody, Request: req}, nil
	}
}

func failing(kind tool.Kind, cause error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, tool.Fail(kind, "no").Because(cause) }
}

func get(t *testing.T, port tool.HTTP, address string) (*http.Response, error) {
	t.Helper()
	return getWith(t.Context(), t, port, address)
}

func getWith(ctx context.Context, t *testing.T, port tool.HTTP, address string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return port.Do(req)
}

// TestVerdicts: which outcomes open a circuit, and which say nothing about the server.
func TestVerdicts(t *testing.T) {
	slow := func(next func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
		return func(req *http.Request) (*http.Response, error) {
			time.Sleep(Patience)
			return next(req)
		}
	}
	behind := &url.Error{Op: "Get", URL: "https://other.example/", Err: errors.New("refused")}
	for name, tt := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		opens  bool
	}{
		"502":                          {status(502), true},
		"503":                          {status(503), true},
		"504":                          {status(504), true},
		"no connection":                {failing(tool.NetworkError, nil), true},
		"time-out":                     {slow(failing(tool.Timeout, nil)), true},
		"time-out of an impatient one": {failing(tool.Timeout, nil), false},
		"500":                          {status(500), false},
		"429":                          {status(429), false},
		"404":                          {status(404), false},
		"200":                          {status(200), false},
		"cancelled":                    {slow(failing(tool.Cancelled, nil)), false},
		"refused by the guard":         {failing(tool.PermissionDenied, nil), false},
		"invalid":                      {failing(tool.ValidationError, nil), false},
		"failed behind a redirect":     {failing(tool.NetworkError, behind), false},
		"503 behind a redirect": {func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: 503,
				Body:       http.NoBody,
				Request:    &http.Request{URL: &url.URL{Scheme: "https", Host: "other.example"}},
			}, nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, net := New(Options{}), &outside{answer: tt.answer}
				port := o.HTTP("acme", "ann", net)
				for range Threshold + 1 {
					_, _ = get(t, port, "https://api.example/x")
				}
				want := Threshold + 1
				if tt.opens {
					want = Threshold
				}
				if net.count() != want || o.Count()["open"] != Threshold+1-want {
					t.Errorf("%d requests were sent and %v is open, want %d", net.count(), o.Count(), want)
				}
			})
		})
	}
}

// TestCircuit: a circuit stays open for its time, names the seconds until the next try, lets one
// request through, and closes when that works.
func TestCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened []string
		o := New(Options{Opened: func(tenant, address string) { opened = append(opened, tenant+" "+address) }})
		net := &outside{answer: status(503)}
		port := o.HTTP("acme", "ann", net)
		for range Threshold {
			if resp, err := get(t, port, "https://API.example/x"); err != nil || resp.StatusCode != 503 {
				t.Fatalf("a failing server was answered with %v, %v; want its 503", resp, err)
			}
		}
		time.Sleep(OpenFor - 3*time.Second)
		_, err := get(t, port, "https://api.example:443/y")
		failure := tool.AsError(err)
		if failure == nil || failure.Kind != tool.NetworkError || !strings.Contains(failure.Msg, "try again in 3 seconds") ||
			failure.Metadata["retryAfter"] != 3 {
			t.Fatalf("the open circuit answered %v with %v, want network_error and 3 seconds", err, failure)
		}
		if net.count() != Threshold {
			t.Fatalf("%d requests were sent, want %d", net.count(), Threshold)
		}
		if got := o.Failing(); !slices.Equal(got, []Failing{{"acme", "api.example:443"}}) {
			t.Errorf("failing are %v", got)
		}
		for name, other := range map[string]tool.HTTP{"another tenant": o.HTTP("other", "ann", net)} {
			if _, err := get(t, other, "https://api.example/x"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := get(t, port, "https://api.example:8443/"); err != nil {
			t.Errorf("another port: %v", err)
		}
		// The circuit opens again if the one request fails, and only that one is sent.
		time.Sleep(3*time.Second + time.Millisecond)
		before := net.count()
		_, _ = get(t, port, "https://api.example/x")
		_, err = get(t, port, "https://api.example/x")
		if net.count() != before+1 || tool.AsError(err).Metadata["retryAfter"] != 10 {
			t.Errorf("%d requests went through, and then %v; want one, and 10 seconds", net.count()-before, err)
		}
		if strings.Join(opened, ",") != "acme api.example:443,acme api.example:443" {
			t.Errorf("opened: %q", opened)
		}
		// It counts as failing while it waits for a request, and for a minute if none comes.
		time.Sleep(OpenFor + time.Millisecond)
		if o.Count()["half_open"] != 1 || len(o.Failing()) != 1 {
			t.Errorf("of %v failing are %v", o.Count(), o.Failing())
		}
		time.Sleep(recent - OpenFor)
		if o.Count()["half_open"] != 1 || len(o.Failing()) != 0 {
			t.Errorf("a minute later, of %v failing are %v", o.Count(), o.Failing())
		}
		_, _ = get(t, port, "https://api.example/x") // and opens it again
		if len(o.Failing()) != 1 {
			t.Error("the circuit that opened again does not count")
		}
		// A request that is cancelled decides nothing, and does not keep its place.
		time.Sleep(OpenFor + time.Millisecond)
		net.answer = failing(tool.Cancelled, nil)
		_, _ = get(t, port, "https://api.example/x")
		net.answer = status(200)
		if _, err := get(t, port, "https://api.example/x"); err != nil {
			t.Errorf("the request after a cancelled one: %v", err)
		}
		if n := o.Count(); n["open"]+n["half_open"] != 0 || len(o.Failing()) != 0 {
			t.Errorf("after a success: %v", n)
		}
		if _, err := get(t, port, "https://api.example/x"); err != nil {
			t.Errorf("after a success: %v", err)
		}
	})
}

// TestOneProbe: while the one request is under way, no other is sent.
func TestOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, net := New(Options{}), &outside{answer: status(502)}
		port := o.HTTP("acme", "", net)
		for range Threshold {
			_, _ = get(t, port, "http://api.example/")
		}
		time.Sleep(OpenFor + time.Millisecond)
		enter, leave := make(chan bool), make(chan bool)
		net.answer = func(req *http.Request) (*http.Response, error) {
			enter <- true
			<-leave
			return status(200)(req)
		}
		ended := make(chan error)
		go func() {
			_, err := getWith(context.Background(), t, port, "http://api.example/")
			ended <- err
		}()
		<-enter
		if o.Count()["half_open"] != 1 {
			t.Errorf("while a request decides: %v", o.Count())
		}
		if _, err := get(t, port, "http://api.example/"); tool.AsError(err) == nil || tool.AsError(err).Metadata["retryAfter"] != 1 {
			t.Errorf("a second request ended with %v, want a second to wait", err)
		}
		close(leave)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestNotInARow: failures with answers that work in between, and failures over a long time,
// open nothing.
func TestNotInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, net := New(Options{}), &outside{}
		port := o.HTTP("acme", "", net)
		for i := range 5 * Threshold {
			net.answer = status(503)
			if i%(Threshold-1) == 0 {
				net.answer = status(200)
			}
			if _, err := get(t, port, "http://api.example/"); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		net.answer = failing(tool.NetworkError, nil)
		for i := range 3 * Threshold {
			time.Sleep(time.Minute)
			if _, err := get(t, port, "http://slow.example/"); tool.AsError(err).Metadata != nil {
				t.Fatalf("request %d of one a minute: %v", i, err)
			}
		}
		time.Sleep(remembered + time.Second)
		if n := o.Count(); n["closed"] != 0 {
			t.Errorf("after a time without requests: %v", n)
		}
	})
}

// TestBounded: more servers than are tracked fail.
func TestBounded(t *testing.T) {
	o, net := New(Options{}), &outside{answer: status(503)}
	port := o.HTTP("acme", "", net)
	for i := range MaxCircuits + 100 {
		_, _ = get(t, port, (&url.URL{Scheme: "http", Host: net4(i)}).String())
	}
	if n := o.Count()["closed"]; n != MaxCircuits {
		t.Errorf("%d servers are tracked, want %d", n, MaxCircuits)
	}
}

func net4(i int) string {
	return net.IPv4(192, 0, byte(i>>8), byte(i)).String()
}

// TestReachedApart: calls that may not reach a server do not learn of its circuit.
func TestReachedApart(t *testing.T) {
	o, net := New(Options{}), &outside{answer: status(503)}
	port := o.HTTP("acme", "", net)
	shared := tool.WithReach(t.Context(), "inside.example:80")
	for range Threshold {
		_, _ = getWith(shared, t, port, "http://inside.example/")
	}
	if _, err := getWith(shared, t, port, "http://inside.example/"); err == nil {
		t.Error("the circuit of the service is closed")
	}
	net.answer = failing(tool.PermissionDenied, nil)
	if _, err := get(t, port, "http://inside.example/"); tool.AsError(err).Kind != tool.PermissionDenied {
		t.Errorf("a request without the service: %v, want the guard's refusal", err)
	}
}

// TestDialer: connections to mail servers have circuits too.
func TestDialer(t *testing.T) {
	o, net := New(Options{}), &outside{answer: failing(tool.NetworkError, nil)}
	port := o.Dialer("acme", "", net)
	for range Threshold + 1 {
		_, _ = port.DialContext(t.Context(), "tcp", "mail.example:587")
	}
	if net.count() != Threshold {
		t.Errorf("%d connections were tried, want %d", net.count(), Threshold)
	}
}

// TestOncePassed: a redirect can be requested as an answer, if the port below can.
func TestOncePassed(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.example/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	port := New(Options{}).HTTP("acme", "", &outside{answer: status(302)})
	if resp, err := port.(once).DoOnce(req); err != nil || resp.StatusCode != 302 {
		t.Errorf("DoOnce = %v, %v", resp, err)
	}
	port = New(Options{}).HTTP("acme", "", struct{ tool.HTTP }{})
	if _, err := port.(once).DoOnce(req); err == nil {
		t.Error("a port below that cannot do it was used")
	}
}

// limits is a counter that refuses the requests beyond a number.
type limits struct {
	left  int
	err   error
	names []string
}

func (l *limits) Take(_ context.Context, tenant, user string, names ...string) (time.Duration, error) {
	l.names = append(l.names, tenant+" "+user+" "+strings.Join(names, ","))
	if l.left--; l.left < 0 {
		return 1500 * time.Millisecond, l.err
	}
	return 0, l.err
}

// TestRates: the requests of a service are counted, others are not.
func TestRates(t *testing.T) {
	l, net := &limits{left: 1}, &outside{answer: status(200)}
	o := New(Options{Rates: l})
	port := o.HTTP("acme", "ann", net)
	service := tool.WithService(t.Context(), "deepl")
	for i, want := range []tool.Kind{"", tool.RateLimited} {
		_, err := getWith(service, t, port, "https://api.example/")
		if e := tool.AsError(err); want == "" && e != nil ||
			want != "" && (e == nil || e.Kind != want || e.Metadata["retryAfter"] != 2 || !strings.Contains(e.Msg, "in 2 seconds")) {
			t.Errorf("request %d: %v, want %q", i, err, want)
		}
	}
	if _, err := get(t, port, "https://api.example/"); err != nil {
		t.Errorf("a request of no service: %v", err)
	}
	if _, err := o.Dialer("acme", "", net).DialContext(service, "tcp", "mail.example:25"); tool.AsError(err).Kind != tool.RateLimited {
		t.Errorf("a connection of the service: %v", err)
	}
	if strings.Join(l.names, "; ") != "acme ann service:deepl; acme ann service:deepl; acme  service:deepl" {
		t.Errorf("counted: %q", l.names)
	}
	l.err = errors.New("the store is away")
	if _, err := getWith(service, t, port, "https://api.example/"); tool.AsError(err).Kind != tool.NetworkError {
		t.Errorf("without the store of the counts: %v", err)
	}
	if net.count() != 2 {
		t.Errorf("%d requests were sent, want 2", net.count())
	}
}
