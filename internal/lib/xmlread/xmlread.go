// Package xmlread reads XML of strangers element by element, in bounded memory.
//
// The decoder of the standard library expands no entities, but keeps every open element, every
// attribute of a tag and every text in memory. Here the nesting, the length of a tag and
// that of a text are bounded: [ErrLimit] ends the reading of a document that goes beyond.
package xmlread

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/html/charset"
)

// Bounds of a document.
const (
	// MaxDepth bounds the nesting of elements.
	MaxDepth = 200
	maxTag   = 256 << 10 // bytes
	maxText  = 8 << 20   // bytes between two tags
)

// ErrLimit ends a document that is larger or deeper than what is read.
var ErrLimit = errors.New("the document is larger or deeper than what is read")

// Reader reads the elements of a document.
type Reader struct {
	*xml.Decoder

	depth int
}

// New returns a reader of a document in the encoding that it declares.
func New(ctx context.Context, r io.Reader) *Reader {
	d := xml.NewDecoder(&guard{ctx: ctx, r: r})
	d.CharsetReader = charset.NewReaderLabel
	return &Reader{Decoder: d}
}

// Each calls start for every element inside the current one, and text for its texts unless it
// is nil, until the end of the element. Start reads its element to the end, by Each or Skip.
func (r *Reader) Each(start func(xml.StartElement) error, text func(xml.CharData)) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer func() { r.depth-- }()
	for {
		token, err := r.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := start(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text != nil {
				text(t)
			}
		}
	}
}

func (r *Reader) enter() error {
	if r.depth++; r.depth > MaxDepth {
		return fmt.Errorf("%w: its elements are nested more than %d deep", ErrLimit, MaxDepth)
	}
	return nil
}

// Skip reads to the end of the current element. In place of [xml.Decoder.Skip] it bounds the
// nesting.
func (r *Reader) Skip() error {
	before := r.depth
	defer func() { r.depth = before }()
	for {
		token, err := r.Token()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if err := r.enter(); err != nil {
				return err
			}
		case xml.EndElement:
			if r.depth == before {
				return nil
			}
			r.depth--
		}
	}
}

// guard fails when a tag or a text is too long, or the call has ended. It knows no comments
// and no sections of characters, and counts them as they look.
type guard struct {
	ctx context.Context
	r   io.Reader
	tag bool
	n   int // bytes since the tag or text began
}

func (g *guard) Read(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := g.r.Read(p)
	for _, c := range p[:n] {
		switch g.n++; {
		case c == '<' && !g.tag, c == '>' && g.tag:
			g.tag, g.n = !g.tag, 0
		case g.tag && g.n > maxTag, g.n > maxText:
			return 0, ErrLimit
		}
	}
	return n, err
}
