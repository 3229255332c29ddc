package codeexec

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// outcome is the result of a command in a container.
type outcome struct {
	Stdout          string `json:"stdout"`
	Stderr          string `json:"stderr"`
	ExitCode        int    `json:"exitCode" doc:"0 means that it succeeded."`
	Sandboxed       bool   `json:"sandboxed"`
	ExecutionMode   string `json:"executionMode"`
	DockerImage     string `json:"dockerImage"`
	RelaxedSecurity bool   `json:"relaxedSecurity"`
	Error           string `json:"error,omitempty" doc:"Why it was killed, if it was."`

	ran tool.Contained
}

// Present adds notes about truncated output.
func (o *outcome) Present(res *tool.Result) {
	if o.ran.StdoutCut+o.ran.StderrCut == 0 {
		return
	}
	res.Truncated = true
	res.Metadata = map[string]any{
		"stdoutBytes": int64(len(o.ran.Stdout)) + o.ran.StdoutCut,
		"stderrBytes": int64(len(o.ran.Stderr)) + o.ran.StderrCut,
	}
}

// limit holds the time limits that a tool allows.
type limit struct{ usual, longest time.Duration }

// of returns the timeout for a requested number of milliseconds.
func (l limit) of(millis float64) time.Duration {
	if !(millis > 0) { // true also for NaN
		return l.usual
	}
	return time.Duration(min(millis*float64(time.Millisecond), float64(l.longest)))
}

// contain runs a command in a container, within the limit.
func (l limit) contain(ctx context.Context, call *tool.Call, c tool.Container, millis float64) (outcome, error) {
	c.Timeout = l.of(millis)
	c.Env = append([]string{"NO_COLOR=1", "CI=1"}, c.Env...)
	ran, err := call.Containers.Run(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{
		Stdout: readable(ran.Stdout), Stderr: readable(ran.Stderr), ExitCode: ran.Code,
		Sandboxed: true, ExecutionMode: "docker", DockerImage: ran.Image, ran: ran,
	}
	switch {
	case ran.TimedOut:
		call.Partial(o) // the output so far
		return o, tool.Fail(tool.Timeout,
			"It did not finish within %s and was killed; make it quicker, or give it more time with timeout (at most %d ms)",
			c.Timeout, l.longest.Milliseconds())
	case ran.OutOfMemory:
		o.Error = "Something in it was killed because it used more than 512 MB of memory."
	case ran.Flooded:
		total := int64(len(ran.Stdout)+len(ran.Stderr)) + ran.StdoutCut + ran.StderrCut
		o.Error = fmt.Sprintf("It was killed because it wrote too much: over %d MB.", total>>20)
	case ran.Code == killed: // not every engine reports a kill by the kernel
		o.Error = "It was killed by signal 9, as happens when it uses more than 512 MB of memory."
	}
	return o, nil
}

// killed is the exit code after signal 9.
const killed = 128 + 9

// readable converts output to text and marks invalid UTF-8.
func readable(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

// executed is the outcome of a script.
type executed struct {
	outcome

	Language string `json:"language"`
}

// scripts limits the running time of scripts.
var scripts = limit{usual: 10 * time.Second, longest: 30 * time.Second}

// scriptTimeout includes time to start the container.
const scriptTimeout = time.Minute

// script runs a file in a language's own image.
func script(ctx context.Context, call *tool.Call, language, image, interpreter, file, text string, millis float64) (*executed, error) {
	o, err := scripts.contain(ctx, call, tool.Container{
		Image:   image,
		Command: []string{interpreter, file},
		Files:   map[string][]byte{file: []byte(text)},
	}, millis)
	return &executed{o, language}, err
}
