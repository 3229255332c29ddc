package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Fail with a kind and one sentence with advice: callers branch on the kind, and the
// model reads the sentence.
func ExampleFail() {
	failure := tool.Fail(tool.NotFound, "There is no note %q; list_notes shows the notes.", "shopping")
	fmt.Println(failure.Kind)
	fmt.Println(failure.Msg)
	// Output:
	// not_found
	// There is no note "shopping"; list_notes shows the notes.
}

// Keep the cause for the operator: it is logged and never leaves the worker.
func ExampleError_Because() {
	refused := errors.New("dial tcp 10.0.0.7:5432: connection refused")
	err := tool.Fail(tool.NetworkError, "The weather service does not answer; try again later.").Because(refused)
	fmt.Println("model:", err.Msg)
	fmt.Println("log:  ", err)
	fmt.Println(errors.Is(err, refused))
	// Output:
	// model: The weather service does not answer; try again later.
	// log:   network_error: The weather service does not answer; try again later.: dial tcp 10.0.0.7:5432: connection refused
	// true
}

// Add data for the calling program, such as the status of a server.
func ExampleError_With() {
	err := tool.Fail(tool.RateLimited, "The service takes no more requests; wait a minute.").
		With("status", 429).With("retryAfter", 60)
	fmt.Println(err.Metadata["status"], err.Metadata["retryAfter"])
	// Output: 429 60
}

// An error without a kind gets one, so a tool returns the errors of the standard library
// and of its ports as they are.
func ExampleAsError() {
	for _, err := range []error{
		fmt.Errorf("open notes.txt: %w", fs.ErrNotExist),
		context.DeadlineExceeded,
		errors.New("line 7 has 3 columns, want 4"),
	} {
		failure := tool.AsError(err)
		fmt.Printf("%s: %s\n", failure.Kind, failure.Msg)
	}
	// Output:
	// file_not_found: the file does not exist
	// timeout: the tool did not finish in time
	// execution_error: Tool execution failed: line 7 has 3 columns, want 4
}

// Name the kinds that a tool fails with; tests hold the tool to the list. The kinds that
// can end any call need no mention.
func ExampleUniversal() {
	set := tool.NewSet("Notes", "notes")
	readNote := tool.Add(set, tool.Spec[struct{}, string]{
		Name: "read_note", Description: "Read the note; returns its text.",
		Risk: tool.Low, Mutates: false, Timeout: time.Second,
		Errors: []tool.Kind{tool.FileNotFound},
		Run: func(context.Context, *tool.Call, struct{}) (string, error) {
			return "", tool.Fail(tool.FileNotFound, "There is no note yet.")
		},
	})
	call, err := readNote.Bind(json.RawMessage(`{}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = call.Run(context.Background(), &tool.Call{})
	fmt.Println(err)
	fmt.Println("own:", readNote.Errors, "of any call:", len(tool.Universal()))
	// Output:
	// file_not_found: There is no note yet.
	// own: [file_not_found] of any call: 13
}
