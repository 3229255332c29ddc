package workers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// TestVersionConflicts: one version with different parameters is logged once and counted;
// another version, or another description, is none.
func TestVersionConflicts(t *testing.T) {
	t.Parallel()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(config.Default(), "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close(context.Background())
	core, logs := observer.New(zap.ErrorLevel)
	kit.Log = zap.New(core)
	kind := func(version, description, parameters string) *fleet.Kind {
		k, err := fleet.NewKind([]tool.Definition{{Name: "a", Version: version, Description: description, Parameters: []byte(parameters)}})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first, told := kind("1", "A.", `{"type":"object"}`), kind("1", "Another A.", `{"type": "object"}`)
	second, other := kind("2", "A.", `{"type":"object","required":["b"]}`), kind("1", "A.", `{"type":"object","required":["b"]}`)
	v := newVersions(kit)
	for _, tt := range []struct {
		name   string
		kinds  []*fleet.Kind
		metric string
		logged int
	}{
		{"another description", []*fleet.Kind{first, told}, "0", 0},
		{"another version", []*fleet.Kind{first, second}, "0", 0},
		{"other parameters", []*fleet.Kind{first, second, other, nil}, "1", 1},
		{"the same again", []*fleet.Kind{first, other}, "1", 1},
		{"mended", []*fleet.Kind{second}, "0", 1},
	} {
		var workers []fleet.Worker
		for _, k := range tt.kinds {
			workers = append(workers, fleet.Worker{Tools: k})
		}
		v.compare(fleet.Live{"p": workers})
		res := httptest.NewRecorder()
		kit.Metrics.Handler().ServeHTTP(res, httptest.NewRequest(http.MethodGet, "/", nil))
		if want := `helve_tool_version_conflicts{pool="p"} ` + tt.metric + "\n"; !strings.Contains(res.Body.String(), want) {
			t.Errorf("%s: no metric %s", tt.name, want)
		}
		if logs.Len() != tt.logged {
			t.Errorf("%s: %d errors are logged, want %d", tt.name, logs.Len(), tt.logged)
		}
	}
}
