package telemetry

import (
	"net/http/httptest"
	"testing"
)

func TestAdmin(t *testing.T) {
	type ask struct{ method, path string }
	paths := map[ask][2]int{ // status without and with pprof
		{"GET", "/metrics"}:                       {200, 200},
		{"HEAD", "/metrics"}:                      {200, 200},
		{"GET", "/healthz"}:                       {200, 200},
		{"GET", "/readyz"}:                        {200, 200},
		{"POST", "/readyz"}:                       {405, 405},
		{"GET", "/"}:                              {404, 404},
		{"GET", "/debug/pprof/"}:                  {404, 200},
		{"GET", "/debug/pprof/heap"}:              {404, 200},
		{"GET", "/debug/pprof/symbol"}:            {404, 200},
		{"GET", "/debug/pprof/cmdline"}:           {404, 404},
		{"GET", "/debug/pprof/goroutine?debug=1"}: {404, 200},
	}
	for i, pprof := range []bool{false, true} {
		h := Admin(AdminOptions{Metrics: NewMetrics(), Health: &Health{}, Pprof: pprof})
		for ask, want := range paths {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(ask.method, ask.path, nil))
			if rec.Code != want[i] {
				t.Errorf("pprof %v: %s %s = %d, want %d", pprof, ask.method, ask.path, rec.Code, want[i])
			}
		}
	}
}
