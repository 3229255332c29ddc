package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// free is a lease that pays for anything.
func free(t *testing.T) *lease {
	t.Helper()
	l, err := newBudget(1<<40, 1<<30).open("anybody")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// unfinished opens a request that announces length bytes, sends begun, and leaves.
func unfinished(t *testing.T, s server, length int, begun string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", length, begun); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestBodyMemory: unfinished bodies cost what arrived, no more than the share of their
// caller, and give it back when they end.
func TestBodyMemory(t *testing.T) {
	b := newBudget(1<<20, 100<<10)
	a, err := b.open("a")
	if err != nil {
		t.Fatal(err)
	}
	read := func(l *lease, n int) error {
		m := metered{Reader: bytes.NewReader(make([]byte, n)), lease: l}
		_, err := m.Read(make([]byte, n))
		return err
	}
	if err := read(a, 100<<10); err != nil {
		t.Errorf("the first body: %v", err)
	}
	if err := read(a, 100<<10); err == nil {
		t.Error("a caller went beyond its share")
	}
	var others []*lease
	for i := range 100 {
		l, err := b.open(fmt.Sprint(i))
		if err == nil {
			err = read(l, 10<<10)
		}
		others = append(others, l)
		if err != nil {
			failure, _ := api.AsRequestError(err)
			if failure.Status != 503 || failure.RetryAfter <= 0 {
				t.Errorf("over the budget: %v, want 503 with a time", err)
			}
			break
		}
	}
	if len(others) == 100 {
		t.Error("all callers went beyond the budget")
	}
	if b.used > b.total {
		t.Errorf("%d bytes are used, of %d", b.used, b.total)
	}
	for _, l := range append(others, a) {
		l.close()
		l.close()
	}
	if b.used != 0 || len(b.by) != 0 {
		t.Errorf("%d bytes of %d callers are still used", b.used, len(b.by))
	}
}

// TestWaitingBodies: the body of a request that waits for its calls counts until the
// request is answered, so waiting requests hold no more than the budget.
func TestWaitingBodies(t *testing.T) {
	const total, size = 4 << 20, 600 << 10
	begun, end := make(chan struct{}, 100), make(chan struct{})
	s := serve(t, &calls{execute: func(ctx context.Context, req dispatch.Request) (dispatch.Response, error) {
		begun <- struct{}{}
		<-end
		return echo(ctx, req)
	}}, Options{BodyMemory: total})
	body := `{"calls":[{"tool":"a","arguments":{"x":"` + strings.Repeat("x", size) + `"}}]}`
	statuses := make(chan int, 100)
	held := 0
	for full := false; !full; {
		go func() { statuses <- s.send("POST", "/v1/execute", body).status }()
		select {
		case <-begun:
			held++
		case status := <-statuses:
			if full = status == 503; !full {
				t.Fatalf("a request was answered %d while all wait", status)
			}
		}
		if held*size > total {
			t.Fatalf("%d requests of %d bytes wait, of a budget of %d", held, size, total)
		}
	}
	if held == 0 {
		t.Error("no request found room")
	}
	close(end)
	for range held {
		if status := <-statuses; status != 200 {
			t.Errorf("a request that waited was answered %d", status)
		}
	}
	if r := s.send("POST", "/v1/execute", body); r.status != 200 {
		t.Errorf("behind them a request is answered %d %s", r.status, r.body)
	}
}

// TestUnfinishedBodies: requests over the budget are answered 503 with Retry-After, a
// decompressed body counts by what it becomes, and others are served again when the
// unfinished ones are gone.
func TestUnfinishedBodies(t *testing.T) {
	const total = 2 << 20
	s := serve(t, &calls{execute: echo}, Options{BodyMemory: total})
	const small = `{"calls":[{"tool":"a","arguments":{}}]}`
	until := func(what string, status int) {
		t.Helper()
		for end := time.Now().Add(testtime.Patience()); ; {
			r := s.send("POST", "/v1/execute", small)
			if r.status == status {
				if status == 503 && r.header.Get("Retry-After") == "" {
					t.Error("503 without Retry-After")
				}
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: still %d %s", what, r.status, r.body)
			}
		}
	}
	until("before", 200)
	// Three bodies leave room for a request to begin, and none for its body.
	begun := strings.Repeat(" ", ((total-requestCost)/3-requestCost)/bodyFactor)
	var conns []net.Conn
	for range 3 {
		conns = append(conns, unfinished(t, s, 8<<20, begun))
	}
	until("beside unfinished bodies", 503)
	for _, conn := range conns {
		_ = conn.Close()
	}
	until("when they are gone", 200)

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Repeat(" ", 4<<20) + small))
	_ = z.Close()
	if r := s.send("POST", "/v1/execute", packed.String(), "Content-Encoding: gzip"); r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Errorf("%d bytes that become 4 MiB = %d %.200s, want 503", packed.Len(), r.status, r.body)
	}
	until("after them", 200)
}

// TestIdentityBeforeBody: nobody without a credential has anything read.
func TestIdentityBeforeBody(t *testing.T) {
	auth := withKey(t, "u", "", identity.User)
	s := serve(t, &calls{execute: echo}, Options{Auth: auth.Authenticator})
	conn := unfinished(t, s, 1<<20, "{")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 401 {
		t.Fatalf("an unfinished body without a credential: %v, %v, want 401 at its headers", res, err)
	}
	_ = res.Body.Close()
}

// TestMaxStreams bounds the streams of one credential, and not those of others.
func TestMaxStreams(t *testing.T) {
	st := eventStreams{most: 2}
	end, err := st.begin("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.begin("ann"); err != nil {
		t.Fatal(err)
	}
	_, err = st.begin("ann")
	if failure, _ := api.AsRequestError(err); err == nil || failure.Status != 429 || failure.RetryAfter <= 0 {
		t.Errorf("the third stream: %v, want 429 with a time", err)
	}
	if _, err := st.begin("bob"); err != nil {
		t.Errorf("another's stream: %v", err)
	}
	end()
	if _, err := st.begin("ann"); err != nil {
		t.Errorf("a stream after one has ended: %v", err)
	}

	c := quiet()
	c.events = func(ctx context.Context, _, _, _ string, _ func(dispatch.Event) error) error {
		<-ctx.Done()
		return ctx.Err()
	}
	s := serve(t, c, Options{MaxStreams: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v1/events?trace_id="+trace, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if r := s.send("GET", "/v1/events?trace_id="+trace, ""); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("the second stream = %d %s, want 429", r.status, r.body)
	}
}
