package apidoc

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// reader reads one document.
type reader struct {
	root *node
	old  bool             // version 3.0, whose schemas are a dialect of their own
	refs map[string]*node // what references lead to
	left int              // schemas that may still be made
	want func(id string) bool
	doc  *Document
}

// Read reads a document in JSON or YAML, with the operations whose ids are wanted. The
// error names the reason why it is refused; an operation that cannot be called does not
// refuse it.
func Read(raw []byte, want func(id string) bool) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil { // of the library
			doc, err = nil, errors.New("it cannot be read as JSON or YAML")
		}
	}()
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	info, err := datamodel.ExtractSpecInfoWithConfig(raw, &datamodel.DocumentConfiguration{SkipJSONConversion: true})
	if info == nil || info.RootNode == nil {
		return nil, errors.New("it cannot be read as JSON or YAML" + place(err))
	}
	top := info.RootNode // it is there too where the library does not know the version
	if top != nil && top.Kind == yaml.DocumentNode && len(top.Content) == 1 {
		top = top.Content[0]
	}
	if top == nil || top.Kind != yaml.MappingNode {
		return nil, errors.New("it cannot be read as JSON or YAML: want an object")
	}
	r := &reader{root: top, refs: map[string]*node{}, left: maxSchemas, want: want, doc: &Document{Schemes: map[string]Scheme{}}}
	if err := r.version(); err != nil {
		return nil, err
	}
	if err := inspect(top); err != nil {
		return nil, err
	}
	about := field(top, "info")
	r.doc.Title, r.doc.Version = text(field(about, "title")), text(field(about, "version"))
	r.doc.Server = server(field(top, "servers"))
	r.schemes()
	if err := r.operations(); err != nil {
		return nil, err
	}
	return r.doc, nil
}

var lineForm = regexp.MustCompile(`line (\d+)`)

// place returns the line that a parser's error names. The rest may contain a piece of the
// text.
func place(err error) string {
	if err == nil {
		return ""
	}
	if at := lineForm.FindStringSubmatch(err.Error()); at != nil {
		return ": it is wrong around line " + at[1]
	}
	return ""
}

// version accepts OpenAPI 3.0 and 3.1.
func (r *reader) version() error {
	if v := text(field(r.root, "swagger")); v != "" {
		return fmt.Errorf("it is Swagger %s; convert it to OpenAPI 3 first, for example: npx swagger2openapi --outfile openapi.json FILE",
			foreign.Text(v, 20))
	}
	v := text(field(r.root, "openapi"))
	switch {
	case v == "":
		return errors.New("it is no OpenAPI document: it has no member openapi")
	case v == "3.0" || strings.HasPrefix(v, "3.0."):
		r.old = true
		return nil
	case v == "3.1" || strings.HasPrefix(v, "3.1."):
		return nil
	}
	return fmt.Errorf("its version is OpenAPI %s; 3.0 and 3.1 are supported", foreign.Text(v, 20))
}
