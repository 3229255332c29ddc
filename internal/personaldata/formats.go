package personaldata

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/backend/store"
)

// Items calls each with every item, in the same order whenever it is called.
type Items func(each func(*store.Item) error) error

// format is a form of files.
type format struct {
	// media is the media type.
	media string
	write func(w io.Writer, items Items) error
	read  func(r io.Reader, each func(*store.Item) error) error
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

// Read calls each with every item of a file.
func Read(name string, r io.Reader, each func(*store.Item) error) error {
	if err := Check(name); err != nil {
		return err
	}
	return formats[name].read(r, each)
}
