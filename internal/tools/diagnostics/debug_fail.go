package diagnostics

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/helve-dev/helve/tool"
)

type debugFailArgs struct {
	How     string `json:"how" doc:"error returns an error, panic panics, goexit ends the goroutine, timeout waits for the call's end, unencodable returns what JSON cannot hold." enum:"error,panic,goexit,timeout,unencodable"`
	Kind    string `json:"kind,omitempty" doc:"The error_type of how=error." default:"execution_error" enum:"tool_not_found,tool_not_available,not_found,validation_error,confirmation_required,permission_denied,policy_denied,consent_expired,timeout,cancelled,execution_error,path_not_allowed,file_not_found,file_too_large,network_error,rate_limited,overloaded,not_configured,outcome_unknown,unsupported,internal"`
	Message string `json:"message,omitempty" doc:"The message of how=error and how=panic." default:"failed as asked"`
}

var _ = tool.Add(Set, tool.Spec[debugFailArgs, any]{
	Name:        "debug.fail",
	Description: "Fail in the given way.",
	Tags:        []string{"debug", "error", "panic"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	// Short, because how=timeout uses all of it.
	Timeout: 2 * time.Second,
	Run:     debugFail,
})

func debugFail(ctx context.Context, _ *tool.Call, args debugFailArgs) (any, error) {
	message := cmp.Or(args.Message, "failed as asked")
	switch args.How {
	case "panic":
		panic(message)
	case "goexit":
		runtime.Goexit()
	case "timeout":
		<-ctx.Done()
		return nil, ctx.Err()
	case "unencodable":
		return make(chan int), nil
	}
	return nil, &tool.Error{Kind: cmp.Or(tool.Kind(args.Kind), tool.ExecutionError), Msg: message}
}
