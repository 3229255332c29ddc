package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/helve-dev/helve/internal/lib/xmlread"
	"github.com/helve-dev/helve/tool"
)

// maxDataText bounds the text that is made of a file of data, in bytes.
const maxDataText = 8 << 20

// utf16Name matches the declaration of an encoding that has been undone already.
var utf16Name = regexp.MustCompile(`(?i)^\s*(<\?xml[^>]*?)\s+encoding\s*=\s*["']utf-16(?:le|be)?["']`)

// readXML writes XML with an element a line, indented by its level.
func readXML(ctx context.Context, f *file, part string, res *readDocumentResult) error {
	if err := onlyPart(part); err != nil {
		return err
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return err
	}
	if data, _, err = transform.Bytes(unicode.BOMOverride(transform.Nop), data); err == nil {
		data = utf16Name.ReplaceAll(data, []byte("$1"))
	}
	o := &outline{entities: bytes.Contains(data, []byte("<!ENTITY"))}
	o.Reader = xmlread.New(ctx, bytes.NewReader(data))
	o.Strict = !o.entities // then an entity that is not known is no error, and stays as it is
	err = o.document()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, xmlread.ErrLimit):
		res.Cut = true
	case err != nil:
		if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
			return tool.Fail(tool.ValidationError, "The file is not well-formed XML: line %d: %.200s; read_file shows it as it is.",
				syntax.Line, syntax.Msg)
		}
		return tool.Fail(tool.ValidationError, "The file is not XML that can be read; read_file shows it as it is.").Because(err)
	}
	if o.entities {
		res.notef("The file defines entities; they are not expanded.")
	}
	res.Text = strings.TrimSpace(o.w.String())
	return nil
}

// outline writes a document.
type outline struct {
	*xmlread.Reader

	w        strings.Builder
	entities bool
}

func (o *outline) document() error {
	for roots := 0; ; {
		token, err := o.Token()
		if errors.Is(err, io.EOF) && roots > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			roots++
			if err := o.element(e, 0); err != nil {
				return err
			}
		}
	}
}

var (
	xmlText  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	xmlValue = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\n", "&#10;")
)

// nameOf returns a name with its prefix or, where it was resolved, without.
func nameOf(n xml.Name) string {
	if n.Space == "" || strings.ContainsAny(n.Space, ":/") {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func (o *outline) element(e xml.StartElement, level int) error {
	const widest = 40 // levels that are indented
	indent := "\n" + strings.Repeat("  ", min(level, widest))
	o.w.WriteString(indent + "<" + nameOf(e.Name))
	for _, a := range e.Attr {
		o.w.WriteString(" " + nameOf(a.Name) + `="` + xmlValue.Replace(a.Value) + `"`)
	}
	o.w.WriteString(">")
	if o.w.Len() > maxDataText {
		return xmlread.ErrLimit
	}
	children := false
	err := o.Each(func(e xml.StartElement) error {
		children = true
		return o.element(e, level+1)
	}, func(text xml.CharData) {
		s := string(bytes.TrimSpace(text))
		if s = xmlText.Replace(s); o.entities {
			s = strings.ReplaceAll(s, "&amp;", "&") // it may be an entity that was not expanded
		}
		if children && s != "" {
			o.w.WriteString(indent + "  ")
		}
		o.w.WriteString(s)
	})
	if children {
		o.w.WriteString(indent)
	}
	o.w.WriteString("</" + nameOf(e.Name) + ">")
	if o.w.Len() > maxDataText {
		return errors.Join(err, xmlread.ErrLimit)
	}
	return err
}

// readYAML writes a document of a YAML file as JSON, with aliases resolved as long as that
// stays small.
func readYAML(ctx context.Context, f *file, part string, res *readDocumentResult) error {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, f.size))
	if err != nil {
		return err
	}
	var docs []*yaml.Node
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return tool.Fail(tool.ValidationError, "The file is not YAML that can be read: %.300s; read_file shows it as it is.",
				strings.TrimPrefix(err.Error(), "yaml: "))
		}
		docs = append(docs, &doc)
	}
	if len(docs) == 0 {
		return tool.Fail(tool.ValidationError, "The YAML file is empty.")
	}
	res.PartCount = len(docs)
	n, err := numbered(part, len(docs), "document")
	if err != nil {
		return err
	}
	n = max(n, 1)
	res.Part = strconv.Itoa(n)
	w := &jsonWriter{ctx: ctx}
	switch err := w.node(docs[n-1], 0); {
	case errors.Is(err, xmlread.ErrLimit):
		res.Cut = true
	case err != nil:
		return err
	}
	res.Text = w.out.String()
	return nil
}

// jsonWriter writes nodes of YAML as JSON.
type jsonWriter struct {
	ctx   context.Context
	out   strings.Builder
	nodes int
	depth int // with aliases, which may lead to themselves
}

func (w *jsonWriter) node(n *yaml.Node, level int) error {
	const maxNodes = 500_000 // with those of aliases, each time
	w.depth++
	defer func() { w.depth-- }()
	if w.nodes++; w.nodes > maxNodes || w.out.Len() > maxDataText || w.depth > xmlread.MaxDepth {
		return xmlread.ErrLimit
	}
	if w.nodes%1024 == 0 && w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) > 0 {
			return w.node(n.Content[0], level)
		}
	case yaml.AliasNode:
		return w.node(n.Alias, level)
	case yaml.SequenceNode:
		return w.list("[", "]", level, len(n.Content), func(i int) error { return w.node(n.Content[i], level+1) })
	case yaml.MappingNode:
		return w.list("{", "}", level, len(n.Content)/2, func(i int) error {
			if err := w.key(n.Content[2*i], level+1); err != nil {
				return err
			}
			return w.node(n.Content[2*i+1], level+1)
		})
	case yaml.ScalarNode:
		w.scalar(n)
		return nil
	}
	w.out.WriteString("null")
	return nil
}

// list writes the items of a list or an object, one a line.
func (w *jsonWriter) list(open, shut string, level, count int, item func(i int) error) error {
	const widest = 40 // levels that are indented
	w.out.WriteString(open)
	for i := range count {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString("\n" + strings.Repeat("  ", min(level+1, widest)))
		if err := item(i); err != nil {
			return err
		}
	}
	if count > 0 {
		w.out.WriteString("\n" + strings.Repeat("  ", min(level, widest)))
	}
	w.out.WriteString(shut)
	return nil
}

// key writes the name of a member. A key that is a list or an object is written as its JSON.
func (w *jsonWriter) key(n *yaml.Node, level int) error {
	for hops := 0; n.Kind == yaml.AliasNode && hops < xmlread.MaxDepth; hops++ {
		n = n.Alias
	}
	text := n.Value
	if n.Kind != yaml.ScalarNode {
		inner := &jsonWriter{ctx: w.ctx, nodes: w.nodes, depth: w.depth}
		err := inner.node(n, level)
		w.nodes = inner.nodes
		if err != nil {
			return err
		}
		text = inner.out.String()
	}
	w.out.WriteString(quoted(text) + ": ")
	return nil
}

func (w *jsonWriter) scalar(n *yaml.Node) {
	plain := slices.Contains([]string{"!!int", "!!float", "!!bool", "!!null"}, n.ShortTag())
	var v any
	if plain && n.Decode(&v) == nil {
		if text, err := json.Marshal(v); err == nil { // there is no JSON for infinity
			w.out.Write(text)
			return
		}
	}
	w.out.WriteString(quoted(n.Value))
}

func quoted(text string) string {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return `""`
	}
	return strings.TrimSuffix(w.String(), "\n")
}
