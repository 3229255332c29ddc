package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"golang.org/x/text/encoding/charmap"
)

// MaxSize is the size of the largest document that is parsed, in bytes.
const MaxSize = 32 << 20

// maxPages is a number of pages that no document has.
const maxPages = 1_000_000

// Document is a parsed document. It is not safe for concurrent use.
type Document struct {
	table    *model.XRefTable
	pages    []page
	unpacked int // bytes of streams so far
}

// page is a page with its resources and size, which it may inherit.
type page struct {
	dict, resources types.Dict
	box             types.Array
}

// Parse reads the objects of a document. It reports a panic of the library as an
// invalid document, since the two cannot be told apart.
func Parse(ctx context.Context, data []byte) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, Damaged(fmt.Errorf("panic: %v", p))
		}
	}()
	limits := model.DefaultResourceLimits()
	limits.MaxStreamBytes, limits.MaxDecodeBytes, limits.MaxObjectStreamFirst = MaxSize, maxDecoded, 1<<20
	limits.MaxObjectCount, limits.MaxXRefEntries, limits.MaxObjectStreamCount = maxPages, maxPages, 100_000
	// The default configuration would read and write files of the worker's user.
	conf := &model.Configuration{
		Reader15:       true,
		ValidationMode: model.ValidationRelaxed,
		Offline:        true,
		Cmd:            model.LISTINFO,
		Eol:            types.EolLF,
		Limits:         limits,
	}
	parsed, err := pdfcpu.ReadWithContext(ctx, &rationed{Reader: bytes.NewReader(data), ctx: ctx, left: 16<<20 + 16*int64(len(data))}, conf)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, pdfcpu.ErrWrongPassword):
		return nil, Encrypted()
	case err != nil:
		return nil, Damaged(err)
	}
	doc = &Document{table: parsed.XRefTable}
	if err := doc.readPages(ctx); err != nil {
		return nil, err
	}
	return doc, nil
}

// rationed fails for a parser that reads the same data repeatedly, or takes too long.
type rationed struct {
	*bytes.Reader

	ctx  context.Context
	left int64
}

// Read implements [io.Reader].
func (r *rationed) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.left <= 0 {
		return 0, errors.New("the document leads in circles")
	}
	n, err := r.Reader.Read(p)
	const glance = 4096 // reads up to this size search for an object and are repeated, larger reads are not
	if n > glance {
		r.left -= int64(n)
	} else {
		r.left -= int64(n) / 32
	}
	return n, err
}

// readPages walks the tree of pages. A node is visited once, even if the tree has
// cycles.
func (d *Document) readPages(ctx context.Context) error {
	root, err := d.table.Catalog()
	if err != nil || root == nil {
		return Damaged(err)
	}
	type node struct {
		object    types.Object
		resources types.Dict
		box       types.Array
		depth     int
	}
	seen := map[int]bool{}
	stack := []node{{object: root["Pages"]}}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if ref, ok := n.object.(types.IndirectRef); ok {
			if seen[ref.ObjectNumber.Value()] {
				continue
			}
			seen[ref.ObjectNumber.Value()] = true
		}
		dict := d.dict(n.object)
		if dict == nil || n.depth > 64 {
			continue
		}
		if own := d.dict(dict["Resources"]); own != nil {
			n.resources = own
		}
		if own, ok := d.resolve(dict["MediaBox"]).(types.Array); ok {
			n.box = own
		}
		kids, isNode := d.resolve(dict["Kids"]).(types.Array)
		if !isNode {
			d.pages = append(d.pages, page{dict, n.resources, n.box})
			if len(d.pages) > maxPages {
				return Damaged(nil)
			}
			continue
		}
		for _, kid := range slices.Backward(kids) { // the first is popped first
			stack = append(stack, node{kid, n.resources, n.box, n.depth + 1})
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if len(d.pages) == 0 {
		return Damaged(nil)
	}
	return nil
}

// resolve follows a reference; nil if it leads nowhere.
func (d *Document) resolve(o types.Object) types.Object {
	for range 16 {
		ref, ok := o.(types.IndirectRef)
		if !ok {
			return o
		}
		next, err := d.table.Dereference(ref)
		if err != nil {
			return nil
		}
		o = next
	}
	return nil
}

// dict returns an object as a dictionary, also that of a stream; nil if it has none.
func (d *Document) dict(o types.Object) types.Dict {
	switch v := d.resolve(o).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	default:
		return nil
	}
}

// number returns an object as a number; 0 if it is none.
func (d *Document) number(o types.Object) float64 {
	switch v := d.resolve(o).(type) {
	case types.Integer:
		return float64(v)
	case types.Float:
		return float64(v)
	default:
		return 0
	}
}

// name returns an object as a name; "" if it is none.
func (d *Document) name(o types.Object) string {
	n, _ := d.resolve(o).(types.Name)
	return string(n)
}

// said decodes a text string (PDF 32000-1, 7.9.2.2): UTF-16 or UTF-8 if marked so.
func (d *Document) said(o types.Object) string {
	var data []byte
	var err error
	switch v := d.resolve(o).(type) {
	case types.StringLiteral:
		data, err = types.Unescape(string(v))
	case types.HexLiteral:
		data, err = v.Bytes()
	}
	switch {
	case err != nil:
		return ""
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fromUTF16(string(data[2:]))
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return string(data[3:])
	}
	s, err := charmap.Windows1252.NewDecoder().Bytes(data) // close enough to PDFDocEncoding
	if err != nil {
		return ""
	}
	return string(s)
}

// Info holds what a document says about itself, as it says it: the texts are not bounded,
// and dates have their own notation.
type Info struct {
	Title, Author, Subject, Keywords, Creator, Producer, CreationDate, ModDate string
	// Version is that of the format, and PageSize the size of the first page in points.
	Version, PageSize string
	Encrypted         bool
}

// Count returns the number of pages.
func (d *Document) Count() int { return len(d.pages) }

// Info returns what the document says about itself.
func (d *Document) Info() Info {
	info := Info{Version: d.table.VersionString(), PageSize: d.pageSize(), Encrypted: d.table.Encrypt != nil}
	if d.table.Info == nil {
		return info
	}
	said := d.dict(*d.table.Info)
	for key, field := range map[string]*string{
		"Title": &info.Title, "Author": &info.Author, "Subject": &info.Subject, "Keywords": &info.Keywords,
		"Creator": &info.Creator, "Producer": &info.Producer, "CreationDate": &info.CreationDate, "ModDate": &info.ModDate,
	} {
		*field = d.said(said[key])
	}
	return info
}

// pageSize returns the size of the first page.
func (d *Document) pageSize() string {
	box := d.pages[0].box
	if len(box) != 4 {
		return ""
	}
	side := func(i int) string {
		return strconv.FormatFloat(d.number(box[i+2])-d.number(box[i]), 'g', 6, 64)
	}
	return side(0) + " x " + side(1) + " pts"
}
