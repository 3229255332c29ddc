package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

func TestRequestError(t *testing.T) {
	for _, tt := range []struct {
		name string
		far  reply
		want RequestError
	}{
		{
			"problem",
			reply{
				429, `{"type":"about:blank","title":"Too Many Requests","status":429,"detail":"over quota; slow down","error_type":"overloaded"}`, "7",
			},
			RequestError{Type: Overloaded, Status: 429, Message: "over quota; slow down", RetryAfter: 7 * time.Second},
		},
		{
			"message", reply{403, `{"error_type":"forbidden","message":"not your tenant"}`, ""},
			RequestError{Type: Forbidden, Status: 403, Message: "not your tenant"},
		},
		{
			"only a title", reply{409, `{"title":"Conflict"}`, ""},
			RequestError{Type: Conflict, Status: 409, Message: "Conflict"},
		},
	} {
		for name, start := range transports {
			t.Run(name, func(t *testing.T) {
				f := start(t, func(asked) reply { return tt.far })
				_, err := connect(t, f).Tools(t.Context(), Filter{})
				got, ok := errors.AsType[*RequestError](err)
				if !ok {
					t.Fatalf("%s: error %v, want a RequestError", tt.name, err)
				}
				if diff := cmp.Diff(tt.want, *got, cmpopts.IgnoreUnexported(RequestError{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.name, diff)
				}
				if errors.Is(err, ErrUnreachable) {
					t.Errorf("%s: is ErrUnreachable, but the server answered", tt.name)
				}
			})
		}
	}
}

func TestProblemWithoutBody(t *testing.T) {
	for status, want := range map[int]string{
		400: BadRequest, 401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 413: TooLarge,
		429: Overloaded, 500: Unavailable, 502: Unavailable, 503: Unavailable, 418: BadRequest,
	} {
		e := problem(status, []byte("<html>"), 0, "a page")
		if e.Type != want || e.Message != "a page" {
			t.Errorf("problem(%d) = %v, want %s: a page", status, e, want)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                                     0,
		"2":                                    2 * time.Second,
		"0.25":                                 250 * time.Millisecond,
		"-1":                                   0,
		"1e300":                                0,
		"soon":                                 0,
		now.Add(90e9).Format(http.TimeFormat):  90 * time.Second,
		now.Add(-90e9).Format(http.TimeFormat): 0,
	} {
		if got := parseRetryAfter(text, now); got != want {
			t.Errorf("parseRetryAfter(%q) = %v, want %v", text, got, want)
		}
	}
}

// closedPort returns an address without a listener.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestUnreachable(t *testing.T) {
	addr := closedPort(t)
	c, err := New("http://me:secret@" + addr)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Tools(t.Context(), Filter{})
	want := "unavailable: cannot reach http://me:xxxxx@" + addr + ": dial tcp " + addr + ": connect: connection refused"
	if !errors.Is(err, ErrUnreachable) || err.Error() != want {
		t.Errorf("Tools over HTTP: error %v\nwant %s", err, want)
	}
	_, err = New("nats://me:secret@" + addr)
	want = "unavailable: cannot reach nats://me:xxxxx@" + addr + ": nats: no servers available for connection"
	if !errors.Is(err, ErrUnreachable) || err.Error() != want {
		t.Errorf("New over NATS: error %v\nwant %s", err, want)
	}
}

func TestNoDispatcher(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	c, err := New(srv.URL(), WithTenant("acme"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Tools(t.Context(), Filter{})
	want := "unavailable: cannot reach " + srv.URL() + ": no dispatcher listens below helve.v1.acme"
	if !errors.Is(err, ErrUnreachable) || err.Error() != want {
		t.Errorf("Tools without a dispatcher: error %v\nwant %s", err, want)
	}
}

// TestSilence has a server that takes requests and never answers.
func TestSilence(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			block := make(chan struct{})
			f := start(t, func(asked) reply { <-block; return reply{} })
			t.Cleanup(func() { close(block) })
			c := connect(t, f)
			_, err := c.once(t.Context(), list("tools.list", "/v1/tools", nil), time.Millisecond)
			if want := "unavailable: cannot reach " + f.url + ": no answer in time"; !errors.Is(err, ErrUnreachable) || err.Error() != want {
				t.Errorf("once = %v, want %s", err, want)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("gone home"))
			if _, err := c.Tools(ctx, Filter{}); err == nil || err.Error() != "gone home" {
				t.Errorf("Tools with an ended context: error %v, want its cause", err)
			}
		})
	}
}

func TestTooLargeForNATS(t *testing.T) {
	f := farNATS(t, always(`{}`))
	c := connect(t, f)
	_, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x", Arguments: make([]int, embedded.MaxPayload/2)}}})
	if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != TooLarge {
		t.Errorf("Execute of more than the payload: error %v, want %s", err, TooLarge)
	}
}
