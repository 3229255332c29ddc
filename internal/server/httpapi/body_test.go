package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/server/api"
)

func TestContentTypes(t *testing.T) {
	for kind, want := range map[string]bool{
		"": true, "application/json": true, "Application/JSON; charset=utf-8": true, "application/cloudevents+json": true,
		"text/plain": false, "application/x-www-form-urlencoded": true, "multipart/form-data; boundary=x": false, "text/json": false,
		"json": false, "/": false,
	} {
		if got := isJSON(kind); got != want {
			t.Errorf("isJSON(%q) = %v, want %v", kind, got, want)
		}
	}
}

func TestLargeBodies(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	fits := `{"calls":[{"tool":"a","arguments":{}}],"ignored":"` + strings.Repeat("x", 8<<20-200) + `"}`
	if r := s.send("POST", "/v1/execute", fits); r.status != 200 {
		t.Errorf("a body of %d bytes: %d %s", len(fits), r.status, r.body)
	}

	large := strings.Repeat("x", 9<<20)
	s.wantProblem(s.send("POST", "/v1/execute", large), 413, "too_large", "larger than 8388608 bytes")

	unsized, err := http.Post(s.URL+"/v1/execute", "", io.MultiReader(strings.NewReader(large)))
	if err != nil {
		t.Fatal(err)
	}
	defer unsized.Body.Close()
	if unsized.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of unknown size: %d", unsized.StatusCode)
	}
}

func TestBadCallsFailAlone(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	bad := []string{
		`{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
		`{"x":"` + strings.Repeat("x", 2<<20) + `"}`,
		`{"x":1,"x":2}`,
		`[1]`,
	}
	body := `{"trace_id":"` + trace + `","calls":[{"tool":"first","arguments":{}}`
	want := `{"trace_id":"` + trace + `","results":[{"tool":"first","status":"success","result":{}}`
	for _, args := range bad {
		body += `,{"tool":"a","arguments":` + args + `}`
		want += `,{"status":"error","error_type":"validation_error"}`
	}
	body += `,{"tool":"last","arguments":{}}]}`
	want += `,{"tool":"last","status":"success","result":{}}]}` + "\n"
	if r := s.send("POST", "/v1/execute", body); r.status != 200 || r.body != want {
		t.Errorf("execute = %d %s, want %s", r.status, r.body, want)
	}
}

// spring is a body that would go on for long.
type spring struct{ drawn int }

func (s *spring) Read(p []byte) (int, error) {
	if s.drawn > 1<<20 {
		return 0, io.EOF
	}
	s.drawn += len(p)
	return len(p), nil
}

func TestReadingIsBounded(t *testing.T) {
	const limit = 1000
	for _, tt := range []struct {
		length int64
		expect string
		most   int
	}{{-1, "", 2*limit + 1}, {5000, "", limit}, {5000, "100-continue", 0}} {
		body := &spring{}
		r := &http.Request{Body: io.NopCloser(body), ContentLength: tt.length, Header: http.Header{"Expect": {tt.expect}}}
		_, err := readJSON(r, limit, free(t))
		if e, ok := errors.AsType[*api.RequestError](err); !ok || e.Type != "too_large" {
			t.Errorf("a body without end, length %d: %v, want too_large", tt.length, err)
		}
		if body.drawn > tt.most {
			t.Errorf("a body without end, length %d: %d bytes were read, want at most %d", tt.length, body.drawn, tt.most)
		}
	}
}

func TestUnusualBodies(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	for _, tt := range []struct{ name, head, body, status, detail string }{
		{"cut off", "Content-Length: 8388608", `{"calls":`, "HTTP/1.1 400 ", "ended before its end"},
		{"asked for first", "Content-Length: 9437184\r\nExpect: 100-continue", "", "HTTP/1.1 413 ", "larger than 8388608"},
		{"bad chunk", "Transfer-Encoding: chunked", "zz\r\n", "HTTP/1.1 400 ", "ended before its end"},
	} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n\r\n%s", tt.head, tt.body)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(conn)
		if !strings.HasPrefix(string(answer), tt.status) || !strings.Contains(string(answer), tt.detail) {
			t.Errorf("a body %s: %s", tt.name, answer)
		}
		conn.Close()
	}
}

// A client that hangs up must not take accepted calls with it.
func TestHangUp(t *testing.T) {
	accepted, outcome, left := make(chan bool), make(chan error, 1), make(chan bool)
	s := serve(t, &calls{execute: func(ctx context.Context, _ dispatch.Request) (dispatch.Response, error) {
		close(accepted)
		<-left
		outcome <- ctx.Err()
		return dispatch.Response{}, nil
	}}, Options{})

	gone := make(chan bool)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() { <-r.Context().Done(); close(gone) }()
		inner.ServeHTTP(w, r)
	})
	ctx, hangUp := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/execute", strings.NewReader(`{"calls":[{"tool":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-accepted; hangUp(); <-gone; close(left) }()
	if resp, err := s.Client().Do(req); err == nil {
		resp.Body.Close()
		t.Error("the request was answered")
	}
	if err := <-outcome; err != nil {
		t.Errorf("after the client hung up, the calls' context says %v", err)
	}
}

func TestConcurrentRequests(t *testing.T) {
	s := serve(t, &calls{execute: echo, get: getCall}, Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				args := fmt.Sprintf(`{"i":%d,"n":%d}`, i, n)
				r := s.send("POST", "/v1/execute", `{"trace_id":"`+trace+`","calls":[{"tool":"a","arguments":`+args+`}]}`)
				if !strings.Contains(r.body, args) {
					t.Errorf("execute %s = %d %s", args, r.status, r.body)
				}
				agent := fmt.Sprintf("/v1/agents/a%d", i)
				if r := s.send("PUT", agent, `{}`); r.status != 200 {
					t.Errorf("PUT %s = %d %s", agent, r.status, r.body)
				}
				s.send("GET", "/v1/tools?agent=a1", "")
			}
		})
	}
	wg.Wait()
}
