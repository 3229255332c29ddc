package schema

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads one JSON value token by token. In the same pass it does the strict checks
// and, given a rule, decides whether the value certainly fits.
type scanner struct {
	buf     bytes.Buffer
	dec     jsontext.Decoder
	long    bool   // a number may have more digits than a 64-bit float keeps
	unsure  bool   // something may not fit, or the rule is beyond the fast check
	scratch []byte // the last string that had to be unescaped

	// Used by Prepare only.
	kept []span
	seen []bool
}

// span is the half-open byte range of one top-level member, name and value. If key is set,
// it replaces the name, and the range begins after the name.
type span struct {
	from, to int
	key      []byte
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// borrow returns a scanner at the start of raw, which it never writes to.
func borrow(raw []byte) *scanner {
	s, _ := scanners.Get().(*scanner) // the pool's New returns only this type
	s.buf = *bytes.NewBuffer(raw)
	s.dec.Reset(&s.buf)
	s.unsure, s.long = false, false
	return s
}

// release returns the scanner to the pool and drops its references to the sender's bytes.
func (s *scanner) release() {
	s.buf = bytes.Buffer{}
	s.dec.Reset(&s.buf)
	if cap(s.scratch) > 64<<10 {
		s.scratch = nil
	}
	scanners.Put(s)
}

// end checks that nothing follows the value.
func (s *scanner) end() error {
	switch _, err := s.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return &unusable{problem: "not valid JSON: something follows the value"}
}

// value reads the next value. A nil rule accepts everything. The depth is the
// number of containers around the value.
func (s *scanner) value(r *rule, depth int) error {
	if s.unsure {
		r = nil
	}
	for r != nil && r.to != nil {
		r = r.to
	}
	if r != nil && r.accepts == everything {
		r = nil
	}
	if r != nil && (!r.plain || r.accepts == nothing) {
		s.unsure = true
		r = nil
	}
	switch s.dec.PeekKind() {
	case '{':
		return s.object(r, depth+1)
	case '[':
		return s.array(r, depth+1)
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	if c := v[0]; c == '-' || c >= '0' && c <= '9' {
		problem, short := numberProblem(v)
		if problem != "" {
			return &unusable{problem, s.dec.StackPointer()}
		}
		s.long = s.long || !short
	}
	if r != nil && !s.scalarFits(r, v) {
		s.unsure = true
	}
	return nil
}

// open reads the bracket that starts an object or array.
func (s *scanner) open(depth int) error {
	if depth > MaxDepth {
		return &unusable{problem: "nested more than 128 levels deep"}
	}
	_, err := s.dec.ReadToken()
	return err
}

func (s *scanner) object(r *rule, depth int) error {
	if err := s.open(depth); err != nil {
		return err
	}
	if r != nil && (r.listed || !r.allows(kindObject)) {
		s.unsure, r = true, nil
	}
	required := 0
	for s.dec.PeekKind() != '}' {
		name, err := s.name()
		if err != nil {
			return err
		}
		var next *rule
		if r != nil {
			p, declared := r.props[string(name)]
			switch {
			case declared:
				next = p.rule
			case r.closed:
				s.unsure = true
			default:
				next = r.extra
			}
			if p.required {
				required++
			}
		}
		if err := s.value(next, depth); err != nil {
			return err
		}
	}
	if r != nil && required < len(r.required) {
		s.unsure = true
	}
	_, err := s.dec.ReadToken()
	return err
}

func (s *scanner) array(r *rule, depth int) error {
	if err := s.open(depth); err != nil {
		return err
	}
	if r != nil && (r.listed || !r.allows(kindArray)) {
		s.unsure, r = true, nil
	}
	var items *rule
	if r != nil {
		items = r.items
	}
	n := 0
	for ; s.dec.PeekKind() != ']'; n++ {
		if err := s.value(items, depth); err != nil {
			return err
		}
	}
	if r != nil && (n < r.minItems || n > r.maxItems) {
		s.unsure = true
	}
	_, err := s.dec.ReadToken()
	return err
}

// name reads the name of the next member. It is valid until the next read.
func (s *scanner) name() ([]byte, error) {
	v, err := s.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return s.unquote(v), nil
}

// unquote returns the text of a valid JSON string. The text is valid until the next read.
func (s *scanner) unquote(v []byte) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	s.scratch, _ = jsontext.AppendUnquote(s.scratch[:0], v)
	return s.scratch
}
