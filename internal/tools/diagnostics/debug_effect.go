package diagnostics

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/tool"
)

type debugEffectArgs struct {
	Key      string `json:"key" doc:"First word of the line; no white space." min:"1" max:"200"`
	BeforeMS int    `json:"before_ms,omitempty" doc:"Milliseconds to sleep before writing." min:"0" max:"600000"`
	AfterMS  int    `json:"after_ms,omitempty" doc:"Milliseconds to sleep after writing." min:"0" max:"600000"`
}

type debugEffectResult struct {
	Written bool `json:"written" doc:"Always true: a failed write is an error."`
}

var _ = tool.Add(Set, tool.Spec[debugEffectArgs, debugEffectResult]{
	Name:        "debug.effect",
	Description: "Append one line to ledger.txt in the workspace, so that a call that ran twice shows.",
	Tags:        []string{"debug", "ledger"},
	Risk:        tool.Low,
	Mutates:     true,
	Idempotent:  false,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}},
	Needs:       tool.NeedFiles,
	Timeout:     longest,
	Run:         debugEffect,
})

// debugEffect writes nothing once ctx has ended. After it has written the line, the
// call succeeds even if ctx ends the sleep.
func debugEffect(ctx context.Context, call *tool.Call, args debugEffectArgs) (debugEffectResult, error) {
	if err := sleep(ctx, args.BeforeMS); err != nil {
		return debugEffectResult{}, err
	}
	if err := writeLedger(call, args.Key); err != nil {
		return debugEffectResult{}, err
	}
	if err := sleep(ctx, args.AfterMS); err != nil {
		call.Log("the sleep after the write ended early")
	}
	return debugEffectResult{Written: true}, nil
}

const ledger = "ledger.txt"

// writeLedger appends the call's line in one write: `<key> <call_id> <unix_ns>`.
func writeLedger(call *tool.Call, key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return tool.Fail(tool.ValidationError, "key: must hold no white space, because the line is made of words")
	}
	return call.Files.Append(ledger, fmt.Appendf(nil, "%s %s %d\n", key, call.ID, call.Clock.Now().UnixNano()))
}
