package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// The first byte of a frame says which of the messages it is.
const (
	setup   = 's'
	program = 'p'
	run     = 'r'
	answer  = 'a'
	hello   = 'h'
	ask     = 'k'
	done    = 'd'
)

// What an answer and a done hold.
const (
	nothing = iota
	aValue
	anError
)

// Bits of a run.
const (
	network = 1 << iota
	files
	compileOnly
)

// appendFrame appends the message. Numbers are varints, texts have their length
// before them, and JSON, of which a message has one at most, is its rest.
func appendFrame(b []byte, f *Frame) ([]byte, error) {
	switch {
	case f.Setup != nil:
		b = append(b, setup)
		return number(number(b, uint64(f.Setup.Memory)), f.Setup.CPUSeconds), nil
	case f.Program != nil:
		p := f.Program
		b = text(text(number(append(b, program), p.Number), p.Name), p.Code)
		for _, n := range p.Forget {
			b = number(b, n)
		}
		return b, nil
	case f.Run != nil:
		return appendRun(append(b, run), f.Run)
	case f.Answer != nil:
		return appendEnd(number(append(b, answer), f.Answer.Ask), f.Answer.Value, f.Answer.Error)
	case f.Hello != nil:
		return text(append(b, hello), f.Hello.Error), nil
	case f.Ask != nil:
		a := f.Ask
		return value(text(number(number(append(b, ask), a.Run), a.ID), string(a.Op)), a.Args)
	default:
		return appendEnd(number(append(b, done), f.Done.Run), f.Done.Value, f.Done.Error)
	}
}

func appendRun(b []byte, r *Run) ([]byte, error) {
	bits := bit(r.Network, network) | bit(r.Files, files) | bit(r.CompileOnly, compileOnly)
	b = number(number(number(number(append(b, bits), r.ID), r.Program), uint64(r.Memory)), uint64(r.Output))
	c := &r.Context
	b = text(text(text(text(b, c.ToolName), c.CallID), c.ConversationID), c.UserID)
	return value(b, r.Args)
}

// appendEnd appends a value, an error, or that there is neither.
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
