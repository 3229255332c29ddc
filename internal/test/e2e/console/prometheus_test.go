package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestChartsOfPrometheus: with a Prometheus in the settings the dispatcher reads the charts from it, and the
// stored history with a note, which the page shows, once it fails.
func TestChartsOfPrometheus(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failing.Load() {
			http.Error(w, "<svg onload=window.__owned=1>", http.StatusInternalServerError)
			return
		}
		q := r.URL.Query()
		var list string
		if strings.Contains(q.Get("query"), `status="success"`) {
			list = fmt.Sprintf(`{"metric": {"pool": "of-prometheus"}, "values": [[%s, "4.25"]]}`, q.Get("end"))
		}
		_, _ = fmt.Fprintf(w, `{"status": "success", "data": {"resultType": "matrix", "result": [%s]}}`, list)
	}))
	t.Cleanup(srv.Close)
	s := system.Launch(t, system.Plan{Dispatchers: 1, Workers: 1, Config: func(c *config.Config) { c.Console.PrometheusURL = srv.URL }})
	m := historyOf(t, s, 0, "1h")
	if m.Source != protocol.FromPrometheus || m.Note != "" || len(m.Pools) != 1 || m.Pools[0].Name != "of-prometheus" || m.Total.Success[59] != 4.25 {
		t.Errorf("the history is %+v", m)
	}
	failing.Store(true)
	if m = historyOf(t, s, 0, "24h"); m.Source != protocol.FromStored || !strings.HasPrefix(m.Note, "Prometheus could not be read") || len(m.Times) != 288 {
		t.Errorf("the history is from %s, with the note %q", m.Source, m.Note)
	}
	c := openOn(t, s.URLs[0], "default", "/overview?range=24h")
	c.Sees("Prometheus could not be read")
	c.Unharmed()
	c.Axe()
	failing.Store(false)
	c.Visit("/overview?range=1h")
	c.Until(`[...document.querySelectorAll('select[name=pool] option')].some((o) => o.value === 'of-prometheus')`)
}
