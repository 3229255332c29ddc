package member

import (
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/tool"
)

// TestPlacement: this worker refuses where the oldest of the pool has other
// workspaces, in that pool alone, and logs each change once.
func TestPlacement(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	m := New(Options{Self: fleet.Worker{ID: "w2", Workspace: "B"}, Pools: []string{"default", "heavy"}, Log: zap.New(core)})
	self, other := fleet.Worker{ID: "w2", Workspace: "B"}, fleet.Worker{ID: "w1", Workspace: "A"}
	for _, tt := range []struct {
		name          string
		inPool        []fleet.Worker
		apart, logged int
	}{
		{name: "nobody"},
		{"alone", []fleet.Worker{self}, 0, 0},
		{"older than the other", []fleet.Worker{self, other}, 0, 0},
		{"younger", []fleet.Worker{other, self}, 1, 1},
		{"younger still", []fleet.Worker{other, other, self}, 1, 1},
		{"alone again", []fleet.Worker{self}, 0, 2},
	} {
		m.compare(fleet.Live{"default": tt.inPool, "heavy": {self}, "gpu": {other}})
		if got := m.apart["default"].Load(); got != (tt.apart > 0) {
			t.Errorf("%s: apart = %v", tt.name, got)
		}
		if m.apart["heavy"].Load() || logs.Len() != tt.logged {
			t.Errorf("%s: the other pool is apart: %v; %d log lines, want %d", tt.name, m.apart["heavy"].Load(), logs.Len(), tt.logged)
		}
	}
}

// TestPoolOfTool: a tool that a model wrote names a pool that this worker may not have.
func TestPoolOfTool(t *testing.T) {
	t.Parallel()
	m := &Member{pools: []string{"heavy", "gpu"}}
	for pool, want := range map[string]string{"gpu": "gpu", "heavy": "heavy", "default": "heavy"} {
		if got := m.PoolOf(&tool.Tool{Definition: tool.Definition{Pool: pool}}); got != want {
			t.Errorf("PoolOf(%s) = %s, want %s", pool, got, want)
		}
	}
}

// TestDataWithoutOneDatabase: with data directories of their own and no store.url, only the
// workers with the oldest worker's directory run tools that keep personal data.
func TestDataWithoutOneDatabase(t *testing.T) {
	t.Parallel()
	w2 := fleet.Worker{ID: "w2", Workspace: "B"}
	for _, tt := range []struct {
		name     string
		inPool   []fleet.Worker
		ownStore bool
		needs    tool.Needs
		refused  bool
	}{
		{"younger, own data", []fleet.Worker{{ID: "w1", Workspace: "A"}, w2}, true, tool.NeedStore, true},
		{"younger, one database", []fleet.Worker{{ID: "w1", Workspace: "A"}, w2}, false, tool.NeedStore, false},
		{"younger, shared directory", []fleet.Worker{{ID: "w1", Workspace: "B"}, w2}, true, tool.NeedStore, false},
		{"older, own data", []fleet.Worker{w2, {ID: "w3", Workspace: "A"}}, true, tool.NeedStore, false},
		{"younger, a tool without data", []fleet.Worker{{ID: "w1", Workspace: "A"}, w2}, true, 0, false},
	} {
		m := New(Options{Self: fleet.Worker{ID: "w2", Workspace: "B"}, Pools: []string{"default"}, OwnStore: tt.ownStore, Log: zap.NewNop()})
		m.compare(fleet.Live{"default": tt.inPool})
		err := m.checkStore(&tool.Tool{Definition: tool.Definition{Name: "add_note", Pool: "default"}, Needs: tt.needs})
		if e := tool.AsError(err); tt.refused != (err != nil) ||
			tt.refused && (e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "store.url")) {
			t.Errorf("%s: %v, want it refused: %v", tt.name, err, tt.refused)
		}
	}
}
