package pdf

import (
	"encoding/binary"
	"math"

	"github.com/go-text/typesetting/font/opentype"
)

// charstring draws one glyph, in thousandths of the font size. It is a program in the
// Type 2 format of Adobe's technical note 5177.
type charstring struct {
	data []byte
	x, y int // the position of the pen
}

// newCharstring starts a glyph of a given width.
func newCharstring(width int) *charstring {
	c := &charstring{}
	c.data = cffInteger(nil, width)
	return c
}

const (
	cffLine, cffCurve, cffEnd, cffMove = 5, 8, 14, 21
)

// outline adds an outline, scaled and moved.
func (c *charstring) outline(segments []opentype.Segment, scale, dx, dy float64) {
	var at opentype.SegmentPoint
	place := func(p opentype.SegmentPoint) (x, y float64) { return float64(p.X)*scale + dx, float64(p.Y)*scale + dy }
	for _, s := range segments {
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			c.to(place(s.Args[0]))
			c.data = append(c.data, cffMove)
			at = s.Args[0]
		case opentype.SegmentOpLineTo:
			c.to(place(s.Args[0]))
			c.data = append(c.data, cffLine)
			at = s.Args[0]
		case opentype.SegmentOpQuadTo: // a quadratic curve as a cubic one
			q, end := s.Args[0], s.Args[1]
			c.to(place(opentype.SegmentPoint{X: at.X + 2*(q.X-at.X)/3, Y: at.Y + 2*(q.Y-at.Y)/3}))
			c.to(place(opentype.SegmentPoint{X: end.X + 2*(q.X-end.X)/3, Y: end.Y + 2*(q.Y-end.Y)/3}))
			c.to(place(end))
			c.data = append(c.data, cffCurve)
			at = end
		case opentype.SegmentOpCubeTo:
			for _, p := range s.Args {
				c.to(place(p))
			}
			c.data = append(c.data, cffCurve)
			at = s.Args[2]
		}
	}
}

// to appends a relative move to a point.
func (c *charstring) to(x, y float64) {
	const most = 16_000 // so that the distance between two points fits 16 bits
	px, py := int(math.Round(min(max(x, -most), most))), int(math.Round(min(max(y, -most), most)))
	c.data = cffInteger(cffInteger(c.data, px-c.x), py-c.y)
	c.x, c.y = px, py
}

func (c *charstring) end() []byte { return append(c.data, cffEnd) }

// cffInteger appends a number in the encoding of glyphs and short dictionaries.
func cffInteger(to []byte, v int) []byte {
	switch {
	case -107 <= v && v <= 107:
		return append(to, byte(v+139))
	case 108 <= v && v <= 1131:
		v -= 108
		return append(to, byte(v>>8+247), byte(v))
	case -1131 <= v && v <= -108:
		v = -v - 108
		return append(to, byte(v>>8+251), byte(v))
	}
	return append(to, 28, byte(v>>8), byte(v))
}

// cffOffset appends a number in five bytes, whatever its size.
func cffOffset(to []byte, v int) []byte {
	return binary.BigEndian.AppendUint32(append(to, 29), uint32(v)) // an offset in a font of a few MB
}

// cffIndex returns an index of byte strings.
func cffIndex(items ...[]byte) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(len(items))) // at most maxClusters
	if len(items) == 0 {
		return out
	}
	out = append(out, 4)
	at := uint32(1)
	out = binary.BigEndian.AppendUint32(out, at)
	for _, item := range items {
		at += uint32(len(item)) // a glyph
		out = binary.BigEndian.AppendUint32(out, at)
	}
	for _, item := range items {
		out = append(out, item...)
	}
	return out
}

// cffFont returns a font program whose glyph numbers are the characters of the CIDFont
// (technical note 5176).
func cffFont(name string, glyphs [][]byte) []byte {
	n := len(glyphs)
	last := func(to []byte, v int) []byte { return binary.BigEndian.AppendUint16(to, uint16(v)) } // at most maxClusters
	charset := []byte{2}
	if n > 1 {
		charset = last(last(charset, 1), n-2)
	}
	selected := last([]byte{3, 0, 1, 0, 0, 0}, n) // all glyphs belong to the only dictionary
	private := []byte{139, 20, 139, 21}           // default and nominal width 0
	programs := cffIndex(glyphs...)
	head := []byte{1, 0, 4, 4}
	names, strings := cffIndex([]byte(name)), cffIndex([]byte("Adobe"), []byte("Identity"))
	const firstString = 391
	// The offsets do not change the length of this encoding.
	top := func(charsetAt, selectedAt, programsAt, dictsAt int) []byte {
		d := cffInteger(cffInteger(cffInteger(nil, firstString), firstString+1), 0)
		d = append(d, 12, 30) // ROS
		d = append(cffOffset(d, n), 12, 34)
		d = append(cffOffset(d, charsetAt), 15)
		d = append(cffOffset(d, selectedAt), 12, 37)
		d = append(cffOffset(d, programsAt), 17)
		return cffIndex(append(cffOffset(d, dictsAt), 12, 36))
	}
	subroutines := cffIndex()
	begin := len(head) + len(names) + len(top(0, 0, 0, 0)) + len(strings) + len(subroutines)
	privateAt := begin + len(charset) + len(selected) + len(programs)
	dicts := cffIndex(append(cffOffset(cffOffset(nil, len(private)), privateAt), 18))
	var out []byte
	for _, part := range [][]byte{
		head, names, top(begin, begin+len(charset), begin+len(charset)+len(selected), privateAt+len(private)), strings, subroutines,
		charset, selected, programs, private, dicts,
	} {
		out = append(out, part...)
	}
	return out
}
