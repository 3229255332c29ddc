package sandbox

import (
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ask  wire.Ask
		most int
	}{
		"small ones": {wire.Ask{Op: js.OpCall}, 256},
		"large ones": {wire.Ask{Op: js.OpCall, Args: make([]byte, 5<<20)}, 3},
	} {
		r := &run{job: &Job{}}
		for range 2 {
			n := 0
			for r.admit(tt.ask) == nil {
				n++
			}
			if n != tt.most {
				t.Errorf("%s: %d were admitted, want %d", name, n, tt.most)
			}
			if e := tool.AsError(r.admit(tt.ask)); e.Kind != tool.RateLimited {
				t.Errorf("%s: one more = %v", name, e)
			}
			for range n {
				r.leave(tt.ask)
			}
		}
	}
}

func TestAdmitKeepsToTheGrants(t *testing.T) {
	t.Parallel()
	for _, granted := range []bool{false, true} {
		r := &run{job: &Job{Network: granted, Files: granted}}
		for _, op := range []js.Op{js.OpFetch, js.OpFile} {
			err := r.admit(wire.Ask{Op: op})
			if granted != (err == nil) || !granted && tool.AsError(err).Kind != tool.PermissionDenied {
				t.Errorf("%s with a grant %v: %v", op, granted, err)
			}
		}
	}
}
