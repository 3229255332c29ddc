package netguard

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestBodyEndsAtItsLimit(t *testing.T) {
	same := func(err error) error { return err }
	for text, want := range map[string]struct {
		got string
		ok  bool
	}{
		"":       {"", true},
		"abcd":   {"abcd", true},
		"abcde":  {"abcde", true},
		"abcdef": {"abcde", false},
	} {
		b := &body{ReadCloser: io.NopCloser(strings.NewReader(text)), left: 5, explain: same}
		got, err := io.ReadAll(b)
		if string(got) != want.got || (err == nil) != want.ok {
			t.Errorf("a limit of 5 yields %q, %v of %q, want %q, ok %v", got, err, text, want.got, want.ok)
		}
	}
}

func TestDoStopsABomb(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			t.Error(err)
			return
		}
		for range MaxBody>>20 + 1 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
		_ = z.Close()
	})
	g := open(t, Options{Allow: []string{at}})
	resp, err := g.Do(request(t, "http://"+at))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if cerr := resp.Body.Close(); cerr != nil {
		t.Error(cerr)
	}
	if n != MaxBody {
		t.Errorf("the bomb yielded %d bytes, want %d", n, MaxBody)
	}
	wantError(t, "bomb", err, tool.NetworkError, "larger than 64 MiB")
}

func TestBodyEndsWithTheContext(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hello(w, r)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	})
	g := open(t, Options{Allow: []string{at}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := g.Do(request(t, "http://"+at).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	start := make([]byte, len("hello"))
	if _, err := io.ReadFull(resp.Body, start); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = io.ReadAll(resp.Body)
	wantError(t, "a body that never ends", err, tool.Cancelled, "cancelled")
	if err := resp.Body.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
