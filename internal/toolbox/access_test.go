package toolbox

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestAccessReadsTheStoredRecord has a worker that does not know yet what an admin has
// allowed, or cannot read it.
func TestAccessReadsTheStoredRecord(t *testing.T) {
	def := &tool.Definition{Name: "debug.echo", Group: "diagnostics", Enabled: true}
	known := &catalog.Agents{}
	known.Put("acme", "bot", protocol.AgentRules{Tools: []string{"calculate"}})
	for name, c := range map[string]struct {
		stored *protocol.AgentRules
		err    error
		want   bool
	}{
		"allowed since":   {stored: &protocol.AgentRules{Tools: []string{"debug.echo"}}, want: true},
		"still not":       {stored: &protocol.AgentRules{Tools: []string{"calculate"}}},
		"cannot be read":  {err: errors.New("away")},
		"no record since": {},
	} {
		asked := 0
		a := Access{Agents: known, Log: zap.NewNop(), Stored: func(_ context.Context, tenant, agent string) (*protocol.AgentRules, error) {
			if tenant != "acme" || agent != "bot" {
				t.Errorf("%s: the record of %s in %s was read", name, agent, tenant)
			}
			asked++
			return c.stored, c.err
		}}
		if got := a.may(t.Context(), "acme", "bot", def); got != c.want || asked != 1 {
			t.Errorf("%s: allowed %v after %d reads, want %v after one", name, got, asked, c.want)
		}
	}
	a := Access{Agents: known, Stored: func(context.Context, string, string) (*protocol.AgentRules, error) {
		t.Error("a record was read for a call that is allowed")
		return nil, nil
	}}
	if !a.may(t.Context(), "acme", "bot", &tool.Definition{Name: "calculate", Enabled: true}) {
		t.Error("a tool of the known record is refused")
	}
}
