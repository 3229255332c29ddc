package diagnostics

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type debugRestrictedResult struct {
	OK bool `json:"ok" doc:"Always true."`
}

var _ = tool.Add(Set, tool.Spec[struct{}, debugRestrictedResult]{
	Name:                "debug.restricted",
	Description:         "Answer only those who hold the permission debug.permission.",
	Tags:                []string{"debug", "permission"},
	Risk:                tool.Low,
	Mutates:             false,
	Idempotent:          true,
	RequiredPermissions: []string{"debug.permission"},
	Timeout:             30 * time.Second,
	Run: func(context.Context, *tool.Call, struct{}) (debugRestrictedResult, error) {
		return debugRestrictedResult{OK: true}, nil
	},
})
