package alerttest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet/promhistory"
	"github.com/helve-dev/helve/protocol"
)

// api serves range queries as Prometheus does, by its own engine.
func (p *prom) api() *httptest.Server {
	p.t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		number := func(name string) float64 {
			n, err := strconv.ParseFloat(q.Get(name), 64)
			if err != nil {
				p.t.Errorf("%s: %v", r.URL, err)
			}
			return n
		}
		begin, end := time.Unix(int64(number("start")), 0), time.Unix(int64(number("end")), 0)
		query, err := p.engine.NewRangeQuery(r.Context(), p.storage, nil, q.Get("query"), begin, end, time.Duration(number("step"))*time.Second)
		if err != nil {
			p.t.Errorf("%s: %v", q.Get("query"), err)
			return
		}
		defer query.Close()
		found, err := query.Exec(r.Context()).Matrix()
		if err != nil {
			p.t.Errorf("%s: %v", q.Get("query"), err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": found}})
	}))
	p.t.Cleanup(srv.Close)
	return srv
}

// none is a stored history that nobody should read.
type none struct{ t *testing.T }

func (n none) Last(context.Context, time.Duration) protocol.MetricsHistory {
	n.t.Error("Prometheus was not read")
	return protocol.MetricsHistory{}
}

// TestHistory: the history that is read from the scrapes of a system by Prometheus' own engine has its calls, its times
// and its slots.
func TestHistory(t *testing.T) {
	s := launch(t, nil)
	p := start(t, s.url)
	p.now = time.Now().Add(-8 * time.Minute)
	for range 31 { // 7 minutes and 45 seconds
		s.calls(2, "debug.echo", `{"value": 1}`)
		s.calls(1, "debug.fail", `{"how": "error", "message": "m"}`)
		p.step()
	}
	source, err := promhistory.New(promhistory.Options{URL: p.api().URL, Match: `instance="a"`, Stored: none{t}, Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	for span, step := range map[time.Duration]int{time.Hour: 57, 24 * time.Hour: 287} {
		m := source.Last(t.Context(), span)
		if m.Source != protocol.FromPrometheus || len(m.Pools) == 0 || !m.Known[step] || m.Known[0] {
			t.Fatalf("%v: the history is %+v", span, m)
		}
		all := m.Total
		if all.Success[step] <= 0 || all.Error[step] <= 0 || all.P50[step] == nil || *all.P99[step] < *all.P50[step] || all.Slots[step] <= 0 ||
			all.Backlog[step] == nil {
			t.Errorf("%v: at step %d there are %v and %v calls/s in %v, %v slots and a backlog of %v", span, step, all.Success[step], all.Error[step],
				all.P50[step], all.Slots[step], all.Backlog[step])
		}
	}
}
