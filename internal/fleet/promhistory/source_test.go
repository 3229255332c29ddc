package promhistory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/protocol"
)

// stored is the history without Prometheus.
type stored struct{}

func (stored) Last(context.Context, time.Duration) protocol.MetricsHistory {
	return protocol.MetricsHistory{Source: protocol.FromStored, StepSeconds: 60}
}

// source returns a source of a server, and what it logs.
func source(t *testing.T, url string) (*Source, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	s, err := New(Options{URL: url, Match: `job="helve"`, Stored: stored{}, Log: zap.New(core)})
	if err != nil {
		t.Fatal(err)
	}
	return s, logs
}

// prometheus answers range queries: each series has the value of its pool at each step.
func prometheus(t *testing.T, of func(query string) map[string]string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		var begin, end, step int64
		if _, err := fmt.Sscan(q.Get("start")+" "+q.Get("end")+" "+q.Get("step"), &begin, &end, &step); err != nil || r.URL.Path != "/prom/api/v1/query_range" {
			t.Errorf("it was asked %s: %v", r.URL, err)
			return
		}
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "canary" {
			t.Errorf("the request has the user %q and the password %q", user, password)
		}
		var list []string
		for pool, value := range of(q.Get("query")) {
			var values []string
			for at := begin; at <= end; at += step {
				values = append(values, fmt.Sprintf(`[%d, %q]`, at, value))
			}
			list = append(list, fmt.Sprintf(`{"metric": {"pool": %q}, "values": [%s]}`, pool, strings.Join(values, ", ")))
		}
		_, _ = fmt.Fprintf(w, `{"status": "success", "data": {"resultType": "matrix", "result": [%s]}}`, strings.Join(list, ", "))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// withPassword returns the address of a server below a path, with a user.
func withPassword(srv *httptest.Server) string {
	return strings.Replace(srv.URL, "http://", "http://ann:canary@", 1) + "/prom/"
}

// TestLast: the series of each pool and of all, in the steps of the span; without pools of single persons, and without
// names that are none.
func TestLast(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := prometheus(t, func(query string) map[string]string {
		asked.Add(1)
		if !strings.Contains(query, `job="helve"`) {
			t.Errorf("the query %s is not for this installation", query)
		}
		switch {
		case strings.Contains(query, "helve_pool_calls_total") && strings.Contains(query, `"success"`):
			return map[string]string{"default": "2.5", "crm": "1", "<svg>": "9", "default=acme=ann": "9"}
		case strings.Contains(query, `"error"`):
			return map[string]string{"default": "0.5"}
		case strings.Contains(query, "0.99") && strings.Contains(query, "(pool, le)"):
			return map[string]string{"default": "0.25", "crm": "NaN"}
		case strings.Contains(query, "histogram_quantile(0.99, sum by (le)"):
			return map[string]string{"": "0.125"}
		case strings.Contains(query, "helve_pool_backlog"):
			return map[string]string{"default": "7", "crm": "+Inf"}
		case strings.Contains(query, `"busy"`):
			return map[string]string{"default": "3", "crm": "-1"}
		case strings.Contains(query, "helve_pool_worker_slots"):
			return map[string]string{"default": "256", "crm": "8"}
		}
		return nil
	})
	s, logs := source(t, withPassword(srv))
	for span, steps := range map[time.Duration]int{time.Hour: 60, 24 * time.Hour: 288, 7 * 24 * time.Hour: 336, 5 * time.Minute: 5} {
		m := s.Last(t.Context(), span)
		if m.Source != protocol.FromPrometheus || m.Note != "" || len(m.Times) != steps || m.StepSeconds*float64(steps) != span.Seconds() ||
			slices.Contains(m.Known, false) || !m.Since.Equal(m.Times[0].Add(-span/time.Duration(steps))) {
			t.Fatalf("%v: %d steps of %v s since %v, %s %s", span, len(m.Times), m.StepSeconds, m.Since, m.Source, m.Note)
		}
		if len(m.Pools) != 2 || m.Pools[0].Name != "crm" || m.Pools[1].Name != "default" {
			t.Fatalf("the pools are %+v", m.Pools)
		}
		crm, def, all := m.Pools[0], m.Pools[1], m.Total
		if def.Success[0] != 2.5 || def.Error[0] != 0.5 || *def.P99[0] != 250 || def.P50[0] != nil || *def.Backlog[0] != 7 || def.Busy[0] != 3 ||
			def.Slots[steps-1] != 256 {
			t.Errorf("default is %+v", def)
		}
		if crm.P99[0] != nil || crm.Backlog[0] != nil || crm.Busy[0] != 0 || crm.Slots[0] != 8 {
			t.Errorf("crm is %+v", crm)
		}
		if all.Success[0] != 3.5 || *all.P99[0] != 125 || *all.Backlog[0] != 7 || all.Busy[0] != 3 || all.Slots[0] != 264 || len(all.Slots) != steps {
			t.Errorf("all is %+v", all)
		}
	}
	if n := asked.Load(); n != 3*queries { // five minutes are a part of the hour
		t.Errorf("Prometheus was asked %d times, want %d", n, 3*queries)
	}
	if logs.Len() > 0 {
		t.Errorf("logged %v", logs.All())
	}
}

// TestStoredInstead: whatever else Prometheus answers, the reader gets the stored history and a note without
// the cause, which is logged once, without the password.
func TestStoredInstead(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(other.Close)
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const nothing = `{"status": "success", "data": {"resultType": "matrix", "result": []}}`
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"redirect":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }, "it redirects"},
		"too large":   {answers(200, nothing+strings.Repeat(" ", maxAnswer)), "larger than 4194304 bytes"},
		"no series":   {answers(200, nothing), "no series of Helve"},
		"refused":     {answers(400, `{"status": "error", "error": "parse error"}`), "it answered 400: parse error"},
		"a proxy":     {answers(502, `<html>`), "it answered 502"},
		"no JSON":     {answers(200, `<html>`), "no answer of Prometheus"},
		"a vector":    {answers(200, `{"status": "success", "data": {"resultType": "vector", "result": []}}`), "no range of values"},
		"no pairs":    {answers(200, strings.Replace(nothing, "[]", `[{"values": [[1]]}]`, 1)), "no pair"},
		"no number":   {answers(200, strings.Replace(nothing, "[]", `[{"values": [[1, "x"]]}]`, 1)), "invalid syntax"},
		"cut short":   {answers(200, nothing[:20]), "no answer of Prometheus"},
		"other times": {answers(200, strings.Replace(nothing, "[]", `[{"metric": {"pool": "a"}, "values": [[1e300, "1"], [-5, "1"]]}]`, 1)), "no series"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(tt.handler)
			t.Cleanup(srv.Close)
			s, logs := source(t, withPassword(srv))
			for range 3 {
				m := s.Last(t.Context(), time.Hour)
				if m.Source != protocol.FromStored || m.Note != instead {
					t.Fatalf("the source is %s, and the note %q", m.Source, m.Note)
				}
			}
			all := logs.All()
			if len(all) != 1 || !strings.Contains(fmt.Sprint(all[0].ContextMap()), tt.want) || strings.Contains(fmt.Sprint(all[0].ContextMap()), "canary") {
				t.Errorf("logged %v, want %q", all, tt.want)
			}
		})
	}
}

// transport answers requests in the test.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPatience: a Prometheus that does not answer is waited for once by all who read, and asked again later.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := source(t, "http://prometheus.example")
		var asked atomic.Int64
		s.client.http.Transport = transport(func(r *http.Request) (*http.Response, error) {
			asked.Add(1)
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begin := time.Now()
		read := make(chan string)
		for range 5 {
			go func() { read <- s.Last(t.Context(), time.Hour).Source }()
		}
		for range 5 {
			if got := <-read; got != protocol.FromStored {
				t.Errorf("the source is %s", got)
			}
		}
		if took := time.Since(begin); took != patience || asked.Load() != concurrent {
			t.Errorf("it took %v and %d requests", took, asked.Load())
		}
		gone, leave := context.WithCancel(t.Context())
		time.Sleep(fresh + time.Second)
		s.client.http.Transport = transport(func(r *http.Request) (*http.Response, error) {
			leave() // others still want the answer
			if err := r.Context().Err(); asked.Add(1) == concurrent+1 && err != nil {
				t.Errorf("the request ends with its reader: %v", err)
			}
			return nil, errors.New("refused")
		})
		if m := s.Last(gone, time.Hour); m.Note != instead {
			t.Errorf("the note is %q", m.Note)
		}
	})
}

// TestAddress: an address that is none of a web server is refused.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "prometheus:9090", "file:///x", "http://", "http://a b"} {
		if _, err := New(Options{URL: url}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}

// TestMostPools: of many pools those with the most calls are shown, and all count.
func TestMostPools(t *testing.T) {
	t.Parallel()
	g := grid{time.Unix(6000, 0), time.Minute, 2}
	var found [queries]pools
	found[success] = pools{}
	for i := range 40 {
		found[success][fmt.Sprintf("p%02d", i)] = []float64{float64(i), math.NaN()}
	}
	m := history(found, g)
	if len(m.Pools) != maxPools || m.Pools[0].Name != "p24" || m.Pools[15].Name != "p39" || m.Total.Success[0] != 780 || m.Known[1] {
		t.Errorf("the pools are %+v", m.Pools)
	}
	if m.Total.Backlog[0] != nil || m.Total.P50[0] != nil || m.Total.Slots[0] != 0 {
		t.Errorf("all is %+v", m.Total)
	}
}
