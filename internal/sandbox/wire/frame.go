package wire

import (
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/tool"
)

// Max is the most bytes of JSON in one frame.
const Max = 8 << 20

// Frame is one message: exactly one member is set.
type Frame struct {
	// From the pool.
	Setup   *Setup   `json:"setup,omitempty"`
	Program *Program `json:"program,omitempty"`
	Run     *Run     `json:"run,omitempty"`
	Answer  *Answer  `json:"answer,omitempty"`
	// From a child.
	Hello *Hello `json:"hello,omitempty"`
	Ask   *Ask   `json:"ask,omitempty"`
	Done  *Done  `json:"done,omitempty"`
}

// Setup is the first frame that a child gets. It says how to lock itself down.
type Setup struct {
	Memory     int64  `json:"memory"`      // bytes of live heap that a run may have, at most
	CPUSeconds uint64 `json:"cpu_seconds"` // of the child's whole life
}

// Hello is the first frame that a child sends: it is locked down, or why not.
type Hello struct {
	Error string `json:"error,omitempty"`
}

// Program gives a child a source to keep, and tells it which to forget. The pool
// numbers them, for each child by itself.
type Program struct {
	Number uint64   `json:"number"`
	Name   string   `json:"name"`
	Code   string   `json:"code"`
	Forget []uint64 `json:"forget,omitempty"`
}

// Run has a child run a program that it keeps.
type Run struct {
	ID      uint64          `json:"id"`
	Program uint64          `json:"program"`
	Args    json.RawMessage `json:"args"`
	Context js.Context      `json:"context"`
	Network bool            `json:"network,omitempty"`
	Files   bool            `json:"files,omitempty"`
	Memory  int64           `json:"memory"` // bytes
	Output  int             `json:"output"` // bytes
	// CompileOnly asks only whether the program compiles.
	CompileOnly bool `json:"compile_only,omitempty"`
}

// Ask has the pool do something for a run.
type Ask struct {
	Run  uint64          `json:"run"`
	ID   uint64          `json:"id"`
	Op   js.Op           `json:"op"`
	Args json.RawMessage `json:"args"`
}

// Answer is what came of an ask. There is none to [js.OpLog].
type Answer struct {
	Ask   uint64          `json:"ask"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *Failure        `json:"error,omitempty"`
}

// Done ends a run, with a value or an error.
type Done struct {
	Run   uint64          `json:"run"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *Failure        `json:"error,omitempty"`
}

// Failure is a [tool.Error] without its cause, which never leaves its process.
type Failure struct {
	Kind    tool.Kind `json:"kind"`
	Message string    `json:"message"`
}

// Fail makes a Failure of any error.
func Fail(err error) *Failure {
	e := tool.AsError(err)
	return &Failure{Kind: e.Kind, Message: e.Msg}
}

func (f *Frame) check() error {
	n := 0
	for _, set := range []bool{
		f.Setup != nil, f.Program != nil, f.Run != nil, f.Answer != nil,
		f.Hello != nil, f.Ask != nil, f.Done != nil,
	} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%w: it has %d members, and must have one", ErrMalformed, n)
	}
	return nil
}
