package diagnostics

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type debugGuardedArgs struct {
	Key string `json:"key" doc:"First word of the line; no white space." min:"1" max:"200"`
}

var _ = tool.Add(Set, tool.Spec[debugGuardedArgs, debugEffectResult]{
	Name:        "debug.guarded",
	Description: "Append one line to ledger.txt in the workspace, after a person has agreed.",
	Tags:        []string{"debug", "ledger", "consent"},
	Risk:        tool.Medium,
	Mutates:     true,
	Destructive: true,
	Idempotent:  false,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Timeout:     30 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args debugGuardedArgs) (debugEffectResult, error) {
		return debugEffect(ctx, call, debugEffectArgs{Key: args.Key})
	},
})
