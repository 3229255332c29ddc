package wire

import (
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// Max is the largest size of one frame in bytes.
const Max = 8 << 20

// Frame is one message: exactly one member is set.
type Frame struct {
	// Sent by the pool.
	Setup   *Setup
	Program *Program
	Run     *Run
	Answer  *Answer
	// Sent by a child.
	Hello *Hello
	Ask   *Ask
	Done  *Done
}

// Setup is the first frame to a child. It describes the child's lockdown.
type Setup struct {
	Memory     int64  // bytes of live heap that a run may use
	CPUSeconds uint64 // of the child's whole life
}

// Hello is the first frame of a child: it is locked down, or the reason why not.
type Hello struct {
	Error string
}

// Program sends a source to a child, and names the sources to drop. The pool numbers them,
// for each child separately.
type Program struct {
	Number uint64
	Kind   Kind
	Name   string
	Code   string
	Forget []uint64
}

// Kind is the kind of function that a source is the body of.
type Kind uint64

// The kinds.
const (
	Body        Kind = iota // of a script
	Durable                 // of a program
	DurableTool             // of a durable tool
)

// Run makes a child run a program that it keeps.
type Run struct {
	ID      uint64
	Program uint64
	Args    json.RawMessage
	Context js.Context
	Durable *js.Durable // set for a run of a program
	Network bool
	Files   bool
	Memory  int64 // bytes
	Output  int   // bytes
	// CompileOnly requests only a check that the program compiles.
	CompileOnly bool
	// Uses requests [js.OpUses] before the run.
	Uses bool
}

// Ask is a request of a run to the pool.
type Ask struct {
	Run  uint64
	ID   uint64
	Op   js.Op
	Args json.RawMessage
	Body []byte // the part of the arguments that is not JSON; nil if there is none
}

// Answer is the outcome of an ask. An ask for [js.OpLog] has none.
type Answer struct {
	Ask   uint64
	Value json.RawMessage
	Body  []byte // the part of the value that is not JSON; nil if there is none
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

// Fail returns the Failure for any error.
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
