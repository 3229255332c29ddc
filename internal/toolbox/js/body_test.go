package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestReadBody: a body is read completely whatever length it declares, counts with its
// real size, and is refused above the maximum.
func TestReadBody(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		has, says int64
		fails     bool
	}{
		"none":               {0, 0, false},
		"as it says":         {3 * mb, 3 * mb, false},
		"the most":           {MaxBody, MaxBody, false},
		"of no known length": {2 * mb, -1, false},
		"short and unknown":  {10, -1, false},
		"the most, unknown":  {MaxBody, -1, false},
		"more than it says":  {2 * mb, mb, false},
		"less than it says":  {mb, 2 * mb, false},
		"one too many":       {MaxBody + 1, -1, true},
		"says too much":      {MaxBody + 1, MaxBody + 1, true},
		"says far too much":  {10, 1 << 50, false},
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader,
		} {
			b := NewBudget(0)
			p := &portion{budget: b, who: spender{"t", "u"}}
			want := bytes.Repeat([]byte("x"), int(tt.has))
			got, err := readBody(t.Context(), wrap(bytes.NewReader(want)), tt.says, p)
			if tt.fails {
				if !errors.Is(err, errBodyTooLong) {
					t.Errorf("%s, %s: readBody = %v, want that it is too long", name, how, err)
				}
			} else if err != nil || !bytes.Equal(got, want) || b.used > int64(cap(got)) || b.used < tt.has {
				t.Errorf("%s, %s: readBody = %d bytes of %d, %v, with %d counted", name, how, len(got), cap(got), err, b.used)
			}
			if p.release(); b.used != 0 {
				t.Errorf("%s, %s: %d bytes are counted after the release", name, how, b.used)
			}
		}
	}
	if _, err := readBody(t.Context(), iotest.ErrReader(io.ErrUnexpectedEOF), 10, &portion{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("readBody = %v, want the reader's error", err)
	}
}

// TestAnswersLeaveTheBudget: answers that a script received, failed to get, or never
// took no longer count after its end, and their bodies came separately from the JSON.
func TestAnswersLeaveTheBudget(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("ä", 1<<20)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			_, _ = io.WriteString(w, strings.Repeat("x", MaxBody+1))
		}
		_, _ = io.WriteString(w, body)
	})
	p := online(t)
	p.Budget = NewBudget(0)
	args, err := json.Marshal(FetchRequest{Method: http.MethodGet, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Answer(t.Context(), Request{Op: OpFetch, Args: args})
	if err != nil || string(a.Body) != body || len(a.Value) > 1000 || p.Budget.used < int64(len(body)) {
		t.Fatalf("Answer = %.200s and %d bytes, %v, with %d counted; want the body beside it", a.Value, len(a.Body), err, p.Budget.used)
	}
	a.Finish()
	a.Finish()
	if p.Budget.used != 0 {
		t.Errorf("%d bytes are counted, want none", p.Budget.used)
	}
	for _, source := range []string{
		`return (await (await fetch("` + url + `")).text()).length`,
		`return fetch("` + url + `/large").catch(e => e.message)`,
		`for (let i = 0; i < 3; i++) fetch("` + url + `"); await fetch("` + url + `")`,
	} {
		program, err := CompileBody("t", source)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), &Task{Program: program, Args: json.RawMessage("{}"), Network: true, Host: p}); err != nil {
			t.Errorf("Run = %v", err)
		}
		until(t, func() bool {
			p.Budget.mu.Lock()
			defer p.Budget.mu.Unlock()
			return p.Budget.used == 0
		})
	}
}

// until waits until a condition holds.
func until(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testtime.Patience()); !so(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("it never came to be")
		}
	}
}

// TestBodiesBesideTheArguments: a host gets a script's bodies separately from the
// arguments, or within them if it does not accept bodies.
func TestBodiesBesideTheArguments(t *testing.T) {
	t.Parallel()
	p, dir := disk(t)
	if _, err := p.Answer(t.Context(), Request{
		Op:   OpFile,
		Args: json.RawMessage(`{"do":"write","path":"raw"}`),
		Body: []byte("\x00\xff"),
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "raw")); err != nil || string(got) != "\x00\xff" {
		t.Errorf("the file has %q, %v", got, err)
	}
	for op, want := range map[Op]string{OpFile: `{"do":"write","path":"","data":"AP8="}`, OpFetch: `"body":"AP8="`, OpCall: `{"do":"write"}`} {
		h := &recorder{ops: map[Op]func(context.Context, json.RawMessage) (json.RawMessage, error){
			op: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil },
		}}
		got, err := Ask(t.Context(), h, Request{Op: op, Args: json.RawMessage(`{"do":"write"}`), Body: []byte("\x00\xff")})
		if err != nil || !strings.Contains(string(got.Value), want) {
			t.Errorf("%s: the host got %s, %v, want %s", op, got.Value, err, want)
		}
	}
}
