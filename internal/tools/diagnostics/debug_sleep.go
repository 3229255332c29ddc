package diagnostics

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

type debugSleepArgs struct {
	MS   int  `json:"ms" doc:"Milliseconds to sleep." min:"0" max:"600000"`
	Deaf bool `json:"deaf,omitempty" doc:"Sleep on when the call is cancelled or timed out."`
}

type debugSleepResult struct {
	SleptMS int `json:"slept_ms" doc:"Milliseconds slept."`
}

var _ = tool.Add(Set, tool.Spec[debugSleepArgs, debugSleepResult]{
	Name:        "debug.sleep",
	Description: "Sleep, and return for how long.",
	Tags:        []string{"debug", "wait", "slow"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     longest,
	Run:         debugSleep,
})

func debugSleep(ctx context.Context, _ *tool.Call, args debugSleepArgs) (debugSleepResult, error) {
	if args.Deaf {
		ctx = context.WithoutCancel(ctx)
	}
	if err := sleep(ctx, args.MS); err != nil {
		return debugSleepResult{}, err
	}
	return debugSleepResult{SleptMS: args.MS}, nil
}
