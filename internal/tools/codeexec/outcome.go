package codeexec

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// outcome is what became of a command in a container.
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

// Present says what is missing of the output.
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

// limit is what a tool allows for the time of its code.
type limit struct{ usual, longest time.Duration }

// of is the time for a call that asks for so many milliseconds.
func (l limit) of(millis float64) time.Duration {
	if !(millis > 0) { // also what is no number
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
		call.Partial(o) // what it had written by then
		return o, tool.Fail(tool.Timeout, "It did not finish within %s and was killed; make it quicker, or give it more time with timeout (at most %d ms)", c.Timeout, l.longest.Milliseconds())
	case ran.OutOfMemory:
		o.Error = "Something in it was killed because it used more than 512 MB of memory."
	case ran.Flooded:
		total := int64(len(ran.Stdout)+len(ran.Stderr)) + ran.StdoutCut + ran.StderrCut
		o.Error = fmt.Sprintf("It was killed because it wrote too much: over %d MB.", total>>20)
	}
	return o, nil
}

// readable is output as text: what is not UTF-8 of it is marked.
func readable(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

// executed is the outcome of a script.
type executed struct {
	outcome

	Language string `json:"language"`
}

// scripts is the limit of a script's time.
var scripts = limit{usual: 10 * time.Second, longest: 30 * time.Second}

// scriptTimeout leaves time for the container itself.
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
