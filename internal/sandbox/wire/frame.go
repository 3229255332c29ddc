package wire

import (
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/tool"
)

// Max is the most bytes of one frame.
const Max = 8 << 20

// Frame is one message: exactly one member is set.
type Frame struct {
	// From the pool.
	Setup   *Setup
	Program *Program
	Run     *Run
	Answer  *Answer
	// From a child.
	Hello *Hello
	Ask   *Ask
	Done  *Done
}

// Setup is the first frame that a child gets. It says how to lock itself down.
type Setup struct {
	Memory     int64  // bytes of live heap that a run may have, at most
	CPUSeconds uint64 // of the child's whole life
}

// Hello is the first frame that a child sends: it is locked down, or why not.
type Hello struct {
	Error string
}

// Program gives a child a source to keep, and tells it which to forget. The pool
// numbers them, for each child by itself.
type Program struct {
	Number uint64
	Name   string
	Code   string
	Forget []uint64
}

// Run has a child run a program that it keeps.
type Run struct {
	ID      uint64
	Program uint64
	Args    json.RawMessage
	Context js.Context
	Network bool
	Files   bool
	Memory  int64 // bytes
	Output  int   // bytes
	// CompileOnly asks only whether the program compiles.
	CompileOnly bool
}

// Ask has the pool do something for a run.
type Ask struct {
	Run  uint64
	ID   uint64
	Op   js.Op
	Args json.RawMessage
}

// Answer is what came of an ask. There is none to [js.OpLog].
type Answer struct {
	Ask   uint64
	Value json.RawMessage
	Error *Failure
}

// Done ends a run, with a value or an error.
type Done struct {
	Run   uint64
	Value json.RawMessage
	Error *Failure
}

// Failure is a [tool.Error] without its cause, which never leaves its process.
type Failure struct {
	Kind    tool.Kind
	Message string
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
