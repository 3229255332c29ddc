package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTraceOfCalls: a call is traced until its end, and the server receives the trace
// context that the tracer has for it, none if that is empty.
func TestTraceOfCalls(t *testing.T) {
	t.Parallel()
	for _, parent := range []string{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""} {
		var mu sync.Mutex
		var sent []string
		s, _ := listens(t, nil, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				mu.Lock()
				sent = append(sent, string(body))
				mu.Unlock()
				h.ServeHTTP(rw, r)
			})
		})
		w := open(t, s)
		var traced [][3]string
		var ends []string
		w.pool.o.Trace = func(ctx context.Context, server, url, tool string) (context.Context, string, func(string)) {
			traced = append(traced, [3]string{server, url, tool})
			return ctx, parent, func(errorType string) { ends = append(ends, errorType) }
		}
		w.says("h_look_up", `{"word":"x"}`, `found {"word":"x"}`)
		if _, err := w.call("h_erase", `{}`); err == nil {
			t.Error("h_erase did not fail")
		}
		if diff := cmp.Diff([][3]string{{"h", s.URL, "look-up"}, {"h", s.URL, "erase"}}, traced); diff != "" ||
			!slices.Equal(ends, []string{"", "execution_error"}) {
			t.Errorf("the spans ended %q; the calls that were traced differ (-want +got):\n%s", ends, diff)
		}
		mu.Lock()
		all := strings.Join(sent, "\n")
		mu.Unlock()
		if got := strings.Count(all, `"traceparent":"`+parent+`"`); parent != "" && got != 2 ||
			parent == "" && strings.Contains(all, "traceparent") {
			t.Errorf("with the parent %q the server received: %s", parent, all)
		}
	}
}
