package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// The first byte of a frame is the kind of its message.
const (
	setup   = 's'
	program = 'p'
	run     = 'r'
	answer  = 'a'
	hello   = 'h'
	ask     = 'k'
	askBody = 'b' // an ask with a body
	done    = 'd'
)

// The contents of an answer and a done.
const (
	nothing = iota
	aValue
	anError
	aBody // after a value that has its length before it
)

// Bits of a run.
const (
	network = 1 << iota
	files
	compileOnly
	isDurable
	isDurableTool
	uses
)

// appendFrame appends the message. Numbers are varints, texts have their length before
// them, and the single JSON value of a message is its rest, unless a body follows.
func appendFrame(b []byte, f *Frame) ([]byte, error) {
	switch {
	case f.Setup != nil:
		b = append(b, setup)
		return number(number(b, uint64(f.Setup.Memory)), f.Setup.CPUSeconds), nil
	case f.Program != nil:
		p := f.Program
		b = text(text(number(number(append(b, program), p.Number), uint64(p.Kind)), p.Name), p.Code)
		for _, n := range p.Forget {
			b = number(b, n)
		}
		return b, nil
	case f.Run != nil:
		return appendRun(append(b, run), f.Run)
	case f.Answer != nil:
		return appendAnswer(number(append(b, answer), f.Answer.Ask), f.Answer)
	case f.Hello != nil:
		return text(append(b, hello), f.Hello.Error), nil
	case f.Ask != nil:
		return appendAsk(b, f.Ask)
	default:
		return appendEnd(number(append(b, done), f.Done.Run), f.Done.Value, f.Done.Error)
	}
}

func appendRun(b []byte, r *Run) ([]byte, error) {
	bits := bit(r.Network, network) | bit(r.Files, files) | bit(r.CompileOnly, compileOnly) |
		bit(r.Uses, uses) | bit(r.Durable != nil, isDurable) | bit(r.Durable != nil && r.Durable.Tool, isDurableTool)
	b = number(number(number(number(append(b, bits), r.ID), r.Program), uint64(r.Memory)), uint64(r.Output))
	c := &r.Context
	b = text(text(text(text(b, c.ToolName), c.CallID), c.ConversationID), c.UserID)
	if d := r.Durable; d != nil {
		b = text(number(text(b, d.ID), uint64(max(d.NowMS, 0))), d.Zone)
	}
	return value(b, r.Args)
}

// appendAsk appends an ask without its body, which is written after it.
func appendAsk(b []byte, a *Ask) ([]byte, error) {
	kind := byte(ask)
	if a.Body != nil {
		kind = askBody
	}
	b = text(number(number(append(b, kind), a.Run), a.ID), string(a.Op))
	if a.Body != nil {
		b = number(b, uint64(len(a.Args)))
	}
	return value(b, a.Args)
}

// appendAnswer appends an answer without its body, which is written after it.
func appendAnswer(b []byte, a *Answer) ([]byte, error) {
	if a.Error != nil || a.Body == nil {
		return appendEnd(b, a.Value, a.Error)
	}
	return value(number(append(b, aBody), uint64(len(a.Value))), a.Value)
}

// body returns the bytes to write after the output of appendFrame.
func (f *Frame) body() []byte {
	switch {
	case f.Ask != nil:
		return f.Ask.Body
	case f.Answer != nil && f.Answer.Error == nil:
		return f.Answer.Body
	}
	return nil
}

// appendEnd appends a value, an error, or a mark for neither.
func appendEnd(b []byte, v json.RawMessage, failed *Failure) ([]byte, error) {
	switch {
	case failed != nil:
		return text(text(append(b, anError), string(failed.Kind)), failed.Message), nil
	case v != nil:
		return value(append(b, aValue), v)
	}
	return append(b, nothing), nil
}

func bit(set bool, b byte) byte {
	if set {
		return b
	}
	return 0
}

func number(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

func text(b []byte, s string) []byte { return append(number(b, uint64(len(s))), s...) }

func value(b []byte, v json.RawMessage) ([]byte, error) {
	if !json.Valid(v) {
		return nil, fmt.Errorf("%w: a value is not JSON", ErrMalformed)
	}
	return append(b, v...), nil
}
