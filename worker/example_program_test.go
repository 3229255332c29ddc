package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts/programs"
)

var machine = tool.NewSet("Machine", "machine")

var _ = tool.Add(machine, tool.Spec[struct{}, string]{
	Name: "kernel_name", Description: "Run uname; returns the name of the kernel.",
	Risk: tool.Low, Mutates: false, Timeout: 5 * time.Second,
	Needs: tool.NeedPrograms,
	Run: func(ctx context.Context, call *tool.Call, _ struct{}) (string, error) {
		ran, err := call.Programs.Run(ctx, tool.Program{Name: "uname", Args: []string{"-s"}})
		return string(bytes.TrimSpace(ran.Stdout)), err
	},
})

// Run sets of tools with the parts that they need, and code around each call. A program calls
// Main; Command is the same with arguments, environment and output of its own.
func ExampleProgram() {
	program := worker.Program{
		Sets:  []*tool.Set{greetings, machine},
		Parts: []worker.Part{programs.Part()}, // for NeedPrograms
		Middleware: []tool.Middleware{{
			Name: "known people",
			Before: func(_ context.Context, call *tool.Call, _ json.RawMessage) (json.RawMessage, error) {
				if call.User == "" {
					return nil, tool.Fail(tool.PermissionDenied, "name a user")
				}
				return nil, nil
			},
		}},
	}
	var settings bytes.Buffer
	args := []string{"my-worker", "--slots", "32", "--print-config"}
	code := program.Command(context.Background(), args, nil, &settings, os.Stderr)
	fmt.Println(code, strings.Contains(settings.String(), "slots: 32"))
	// Output: 0 true
}

// A setting that does not exist is a usage error, with exit code 2.
func ExampleCommand() {
	args := []string{"my-worker", "--slot", "8"}
	code := worker.Command(context.Background(), args, nil, io.Discard, os.Stdout, greetings)
	fmt.Println("exit code", code)
	// Output:
	// unknown flag: --slot
	// exit code 2
}

// A tool or a setting that needs a part is refused when a worker without that part starts. Scripts
// need the part javascript.
func ExamplePart() {
	var said bytes.Buffer
	args := []string{"my-worker", "--tools", "scripts"}
	code := worker.Command(context.Background(), args, nil, io.Discard, &said, greetings)
	fmt.Println("exit code", code, strings.Contains(said.String(), "worker/parts/javascript"))
	// Output: exit code 1 true
}
