package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// decodeFrame reads a frame that appendFrame wrote. It keeps no reference to b, unless lent
// is set: then values and bodies point into it.
func decodeFrame(b []byte, lent bool) (Frame, error) {
	if len(b) == 0 {
		return Frame{}, fmt.Errorf("%w: it is empty", ErrMalformed)
	}
	d, f := decoder{rest: b[1:], lent: lent}, Frame{}
	switch b[0] {
	case setup:
		f.Setup = &Setup{Memory: d.size(), CPUSeconds: d.number()}
	case program:
		f.Program = &Program{Number: d.number(), Kind: Kind(d.number()), Name: d.text(), Code: d.text()}
		for len(d.rest) > 0 && !d.bad {
			f.Program.Forget = append(f.Program.Forget, d.number())
		}
	case run:
		f.Run = d.run()
	case answer:
		f.Answer = &Answer{Ask: d.number()}
		d.answer(f.Answer)
	case hello:
		f.Hello = &Hello{Error: d.text()}
	case ask:
		f.Ask = &Ask{Run: d.number(), ID: d.number(), Op: js.Op(d.text()), Args: d.value()}
	case askBody:
		f.Ask = &Ask{Run: d.number(), ID: d.number(), Op: js.Op(d.text())}
		f.Ask.Args, f.Ask.Body = d.valueAndBody()
	case done:
		f.Done = &Done{Run: d.number()}
		f.Done.Value, f.Done.Error = d.end()
	default:
		return Frame{}, fmt.Errorf("%w: there is no message %q", ErrMalformed, b[0])
	}
	if d.bad || len(d.rest) > 0 {
		return Frame{}, fmt.Errorf("%w: it is not what a message %q holds", ErrMalformed, b[0])
	}
	return f, nil
}

// decoder takes parts from the front of a message. After a malformed part, it and all later
// parts are empty.
type decoder struct {
	rest []byte
	lent bool
	bad  bool
}

// taken returns a part of the message that remains valid after it.
func (d *decoder) taken(part []byte) []byte {
	if d.lent {
		return slices.Clip(part)
	}
	return append([]byte{}, part...) // not nil: a part exists, whatever its length
}

func (d *decoder) run() *Run {
	bits := d.bits()
	r := &Run{
		Network: bits&network != 0, Files: bits&files != 0, CompileOnly: bits&compileOnly != 0,
		Uses: bits&uses != 0,
		ID:   d.number(), Program: d.number(), Memory: d.size(), Output: int(d.size()),
	}
	r.Context = js.Context{ToolName: d.text(), CallID: d.text(), ConversationID: d.text(), UserID: d.text()}
	if bits&isDurable != 0 {
		r.Durable = &js.Durable{ID: d.text(), NowMS: d.size(), Zone: d.text(), Tool: bits&isDurableTool != 0}
	}
	r.Args = d.value()
	return r
}

func (d *decoder) bits() byte {
	if len(d.rest) == 0 {
		d.bad = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	if d.bad || size <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) size() int64 {
	n := d.number()
	if n > math.MaxInt64 {
		d.bad = true
		return 0
	}
	return int64(n)
}

// text returns valid UTF-8, whatever the bytes were.
func (d *decoder) text() string {
	n := d.number()
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return ""
	}
	s := strings.ToValidUTF8(string(d.rest[:n]), "\uFFFD")
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) value() json.RawMessage {
	if d.bad || !json.Valid(d.rest) {
		d.bad = true
		return nil
	}
	v := d.taken(d.rest)
	d.rest = nil
	return v
}

// valueAndBody takes a value with its length before it, and a body, which is the rest.
func (d *decoder) valueAndBody() (v json.RawMessage, body []byte) {
	n := d.number()
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return nil, nil
	}
	rest := d.rest[n:]
	d.rest = d.rest[:n]
	v = d.value()
	return v, d.taken(rest)
}

// answer takes an answer, which is the rest.
func (d *decoder) answer(a *Answer) {
	if len(d.rest) == 0 || d.rest[0] != aBody {
		a.Value, a.Error = d.end()
		return
	}
	d.rest = d.rest[1:]
	a.Value, a.Body = d.valueAndBody()
}

func (d *decoder) end() (json.RawMessage, *Failure) {
	switch d.bits() {
	case nothing:
		return nil, nil
	case aValue:
		return d.value(), nil
	case anError:
		return nil, &Failure{Kind: tool.Kind(d.text()), Message: d.text()}
	}
	d.bad = true
	return nil, nil
}
