package diagnostics

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

type debugEchoArgs struct {
	// Value is any JSON value, kept byte for byte so that numbers keep every digit.
	Value json.RawMessage `json:"value,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[debugEchoArgs, json.RawMessage]{
	Name:        "debug.echo",
	Description: "Return the given value unchanged.",
	Tags:        []string{"debug", "ping"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     30 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args debugEchoArgs) (json.RawMessage, error) {
		return args.Value, nil
	},
})
