package tooltest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

var lines = tool.NewSet("Lines", "lines")

type countArgs struct {
	Path string `json:"path" doc:"File to count." min:"1"`
}

var countLines = tool.Add(lines, tool.Spec[countArgs, int]{
	Name: "count_lines", Description: "Count the lines of a file; returns their number.",
	Risk: tool.Low, Mutates: false, Timeout: time.Second,
	Needs:  tool.NeedFiles,
	Errors: []tool.Kind{tool.FileNotFound, tool.PathNotAllowed},
	Run: func(_ context.Context, call *tool.Call, args countArgs) (n int, err error) {
		f, err := call.Files.Open(args.Path)
		if err != nil {
			return 0, err // it has a kind already
		}
		defer f.Close()
		call.Log("counting " + args.Path)
		scan := bufio.NewScanner(f)
		for scan.Scan() {
			n++
		}
		return n, scan.Err()
	},
})

// passes runs a test as `go test` does and reports whether it passed.
func passes(name string, test func(*testing.T)) bool {
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	os.Stdout = os.Stderr // the output of the test is not the output of the example
	every := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(every, []testing.InternalTest{{Name: name, F: test}})
}

// Test a tool with a table: a success, an invalid argument, and each failure that the tool
// names. In a test file the function is TestCountLines.
func ExampleRun() {
	test := func(t *testing.T) {
		files := tooltest.Files{"notes.txt": "one\ntwo\n"}
		tooltest.Run(t, lines, "count_lines", tool.Call{Files: files}, []tooltest.Case{
			{Name: "two lines", Args: `{"path": "notes.txt"}`, Want: `2`},
			{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
			{Name: "no file", Args: `{"path": "old.txt"}`, Fails: tool.FileNotFound},
			{Name: "outside", Args: `{"path": "../secret"}`, Fails: tool.PathNotAllowed},
		})
	}
	fmt.Println(passes("TestCountLines", test))
	// Output: true
}

// Make one call of a tool, with the schema, the defaults and the ports that a worker applies.
func ExamplePlay() {
	call := tool.Call{Files: tooltest.Files{"notes.txt": "one\ntwo\n"}}
	res, err := tooltest.Play(context.Background(), countLines, call, `{"path": "notes.txt"}`)
	fmt.Println(string(res.Value), err)
	_, err = tooltest.Play(context.Background(), countLines, call, `{"path": 7}`)
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// validation_error: path: expected string, got number
}

// A call without a port that the tool requests is an error of the test, not of the tool.
func ExampleMissingPort() {
	_, err := tooltest.Play(context.Background(), countLines, tool.Call{}, `{"path": "notes.txt"}`)
	fmt.Println(err)
	// Output: the call has no port Files
}

// Use a workspace in memory. It fails with the kinds of a workspace on disk.
func ExampleFiles() {
	files := tooltest.Files{"notes.txt": "buy milk"}
	if _, err := files.Write("done.txt", strings.NewReader("slept")); err != nil {
		fmt.Println(err)
	}
	fmt.Println(files["done.txt"])
	_, err := files.Open("missing.txt")
	fmt.Println(err)
	// Output:
	// slept
	// file_not_found: File not found: missing.txt
}

// Answer the requests of a tool with a function.
func ExampleDoer() {
	call := tool.Call{HTTP: tooltest.Doer(func(req *http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader("pong for " + req.URL.Host))
		return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
	})}
	req, _ := http.NewRequest(http.MethodGet, "https://api.example.com/ping", nil)
	res, err := call.HTTP.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(string(text), err)
	// Output: pong for api.example.com <nil>
}

// Examine the events that a tool emitted.
func ExampleEvents() {
	events := &tooltest.Events{}
	call := tool.Call{Files: tooltest.Files{"a.txt": "one"}, Events: events}
	if _, err := tooltest.Play(context.Background(), countLines, call, `{"path": "a.txt"}`); err != nil {
		fmt.Println(err)
	}
	for _, e := range events.All() {
		fmt.Println(e.Kind, e.Data)
	}
	// Output: log map[message:counting a.txt]
}
