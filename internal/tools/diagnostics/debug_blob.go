package diagnostics

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type debugBlobArgs struct {
	Bytes int `json:"bytes" doc:"Size of the string, at most 64 MiB." min:"0" max:"67108864"`
}

var _ = tool.Add(Set, tool.Spec[debugBlobArgs, string]{
	Name:        "debug.blob",
	Description: "Return a string of the given size.",
	Tags:        []string{"debug", "large"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     30 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args debugBlobArgs) (string, error) {
		return strings.Repeat("x", args.Bytes), nil
	},
})
