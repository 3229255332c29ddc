package protocol_test

import (
	"testing"

	"github.com/helve-dev/helve/protocol"
)

func TestToolContexts(t *testing.T) {
	var nothing *protocol.ToolContexts
	bound := &protocol.ToolContexts{Tenants: []string{"acme"}, Agents: []string{"bot"}, Conversations: []string{"c1"}}
	for _, tt := range []struct {
		to                          *protocol.ToolContexts
		tenant, agent, conversation string
		listed, hold                bool
	}{
		{nothing, "acme", "bot", "c1", true, true},
		{&protocol.ToolContexts{}, "acme", "", "", true, true},
		{bound, "acme", "bot", "c1", true, true},
		{bound, "acme", "bot", "c2", true, false},
		{bound, "acme", "other", "c1", false, false},
		{bound, "globex", "bot", "c1", false, false},
	} {
		if listed, hold := tt.to.Listed(tt.tenant, tt.agent), tt.to.Hold(tt.tenant, tt.agent, tt.conversation); listed != tt.listed ||
			hold != tt.hold {
			t.Errorf("%+v for %s, %s, %s: listed %v, hold %v, want %v, %v",
				tt.to, tt.tenant, tt.agent, tt.conversation, listed, hold, tt.listed, tt.hold)
		}
	}
}
