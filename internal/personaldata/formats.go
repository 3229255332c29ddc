package personaldata

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Items calls each with every item, in the same order whenever it is called.
type Items func(each func(*store.Item) error) error

// format is a form of files.
type format struct {
	// media is the media type.
	media string
	write func(w io.Writer, items Items) error
	read  func(r io.Reader, to receiver) error
}

// JSONL is the format that loses nothing and is written in one pass.
const JSONL = "jsonl"

var formats = map[string]format{
	JSONL:  {"application/jsonl", writeJSONL, readJSONL},
	"csv":  {"text/csv; charset=utf-8", writeCSV, readCSV},
	"html": {"text/html; charset=utf-8", writeHTML, readHTML},
	"ics":  {"text/calendar; charset=utf-8", writeICS, readICS},
	"vcf":  {"text/vcard; charset=utf-8", writeVCF, readVCF},
}

// Formats returns the names of all formats.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// MediaType returns the media type of a format.
func MediaType(name string) string { return formats[name].media }

// Check returns an error if there is no format of that name.
func Check(name string) error {
	if _, ok := formats[name]; !ok {
		return fmt.Errorf("format is %.40q; use %s", name, strings.Join(Formats(), ", "))
	}
	return nil
}

// Write writes items in a format. It may read them twice.
func Write(name string, w io.Writer, items Items) error {
	if err := Check(name); err != nil {
		return err
	}
	return formats[name].write(w, items)
}

// Documents is [Read] for a caller that has no store: it calls each with the collection and the
// document of every item.
func Documents(name string, r io.Reader, each func(collection string, doc json.RawMessage) error, problem func(Problem)) error {
	return Read(name, r, func(item *store.Item) error { return each(item.Collection, item.Doc) }, problem)
}

// Read calls each with every item of a file that can be read, and problem with each item that
// cannot. The error is of the file as a whole, or of each.
func Read(name string, r io.Reader, each func(*store.Item) error, problem func(Problem)) (err error) {
	if err := Check(name); err != nil {
		return err
	}
	err = gopool.Catch(func() error { return formats[name].read(r, receiver{each, problem}) })
	if crash, ok := errors.AsType[*gopool.Panic](err); ok {
		return fmt.Errorf("the file cannot be read: %w", crash)
	}
	return err
}
