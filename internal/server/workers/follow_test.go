package workers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/telemetry"
)

func TestSplits(t *testing.T) {
	t.Parallel()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(config.Default(), "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close(context.Background())
	s := splits{kit: kit, known: map[string]bool{}}
	get := func(h http.Handler) string {
		res := httptest.NewRecorder()
		h.ServeHTTP(res, httptest.NewRequest(http.MethodGet, "/", nil))
		return res.Body.String()
	}
	a, b := fleet.Worker{ID: "w1", Workspace: "A"}, fleet.Worker{ID: "w2", Workspace: "B"}
	for _, tt := range []struct {
		name   string
		live   fleet.Live
		metric string
		ready  string
	}{
		{"one directory", fleet.Live{"default": {a, a}, "gpu": {b}}, `{pool="default"} 0`, `{"status":"ready"}`},
		{"two", fleet.Live{"default": {a, b}, "gpu": {b}}, `{pool="default"} 1`, "not shared by the workers of default"},
		{"two pools", fleet.Live{"default": {a, b}, "gpu": {b, a}}, `{pool="gpu"} 1`, "not shared by the workers of default, gpu"},
		{"a pool without workers", fleet.Live{"default": {a, b}}, `{pool="gpu"} 0`, "not shared by the workers of default\""},
		{"nobody", fleet.Live{}, `{pool="default"} 0`, `"workspaces":"shared"`},
	} {
		s.compare(tt.live)
		if got := get(kit.Metrics.Handler()); !strings.Contains(got, "helve_workspaces_split"+tt.metric) {
			t.Errorf("%s: no metric %s", tt.name, tt.metric)
		}
		if got := get(kit.Health.Ready()); !strings.Contains(got, tt.ready) {
			t.Errorf("%s: readyz = %s, want %s", tt.name, got, tt.ready)
		}
	}
}
