package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/toolbox/upstream/wire"
	"github.com/helve-dev/helve/tool"
)

// part is a piece of content other than text, in the form for callers.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
	MIMEType string `json:"mime_type,omitempty"`
	Size     int    `json:"size,omitempty"` // of Data, in bytes
	Data     []byte `json:"data,omitempty"`
	// LeftOut is set if Data was too large.
	LeftOut bool `json:"left_out,omitempty"`
}

// result converts a server's answer to the tool's result: the structured content, else
// the text, or a list of all parts if there is more than text. The blocks themselves are the
// result's content, where text and value do not say all of it.
func (c *client) result(o *offer, answer *mcp.CallToolResult) (tool.Result, error) {
	if answer.NeedsInput() {
		return tool.Result{}, tool.Fail(tool.Unsupported,
			"'%s' wants to ask a person something while it runs, which is not supported; give it all it needs as arguments", o.def.Name)
	}
	most := c.s.maxResult()
	parts, text := partsOf(answer.Content)
	structured := wire.Structured(answer.StructuredContent)
	if string(structured) == "null" {
		structured = nil
	}
	value, left, err := fit(parts, most)
	if err != nil {
		return tool.Result{}, err
	}
	var blocks json.RawMessage
	if structured != nil && text != "" && !repeats(text, structured) || !onlyText(parts) || marked(answer.Content) {
		if blocks, err = blocksOf(answer.Content, parts, structured); err != nil {
			return tool.Result{}, err
		}
	}
	if answer.IsError {
		failure := tool.Fail(tool.ExecutionError, "'%s' failed: %s",
			o.def.Name, cmp.Or(foreign.Text(cmp.Or(text, string(structured)), maxMessageText), "it gave no reason"))
		failure.Content = blocks
		return tool.Result{}, failure
	}
	whole := len(text)
	res := tool.Result{Content: blocks}
	res.Text, res.Truncated = cut(text, most)
	switch {
	case structured != nil:
		whole = max(whole, len(structured))
		res.Value = structured
		if len(structured) > most {
			short, _ := cut(string(structured), most)
			res.Truncated = true
			res.Value, err = encoded(short)
		}
	case onlyText(parts):
		res.Value, err = encoded(res.Text)
	default:
		res.Value, res.Truncated = value, res.Truncated || left
		for _, p := range parts {
			whole += p.Size
		}
	}
	if res.Truncated {
		res.Metadata = map[string]any{"size": whole}
	}
	return res, err
}

// repeats reports whether a text is structured content in other words of JSON, as most
// servers send it for clients that do not read it.
func repeats(text string, structured json.RawMessage) bool {
	var said, meant any
	return json.Unmarshal([]byte(text), &said) == nil && json.Unmarshal(structured, &meant) == nil && reflect.DeepEqual(said, meant)
}

// cut returns the first bytes of a text.
func cut(text string, most int) (string, bool) {
	head := textcut.Head(text, most)
	return head, len(head) < len(text)
}

func onlyText(parts []part) bool {
	for _, p := range parts {
		if p.Type != "text" {
			return false
		}
	}
	return true
}

// fit encodes parts within a size, without the data that does not fit.
func fit(parts []part, most int) (value json.RawMessage, left bool, err error) {
	room := most
	for i := range parts {
		p := &parts[i]
		if p.Text, left = cutIf(p.Text, room, left); len(p.Data) > 0 && len(p.Data)*4/3 > room-len(p.Text) {
			p.Data, p.LeftOut, left = nil, true, true
		}
		room = max(0, room-len(p.Text)-len(p.Data)*4/3)
	}
	value, err = encoded(map[string]any{"content": parts})
	return value, left, err
}

func cutIf(text string, room int, left bool) (string, bool) {
	text, less := cut(text, room)
	return text, left || less
}

func encoded(v any) (json.RawMessage, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), err
}

const maxLabel = 200 // bytes of a name or an address in what a model is shown

// partsOf converts content to parts, and describes in text what is not text.
func partsOf(content []mcp.Content) ([]part, string) {
	var parts []part
	var words []string
	for _, block := range content {
		var p part
		word := ""
		switch b := block.(type) {
		case *mcp.TextContent:
			p, word = part{Type: "text", Text: b.Text}, b.Text
		case *mcp.ImageContent:
			p = part{Type: "image", MIMEType: b.MIMEType, Size: len(b.Data), Data: b.Data}
		case *mcp.AudioContent:
			p = part{Type: "audio", MIMEType: b.MIMEType, Size: len(b.Data), Data: b.Data}
		case *mcp.ResourceLink:
			p = part{Type: "resource_link", URI: b.URI, Name: b.Name, MIMEType: b.MIMEType}
		case *mcp.EmbeddedResource:
			p, word = resource(b.Resource)
		default:
			p = part{Type: "unknown"}
		}
		p.URI, p.Name, p.MIMEType = foreign.Text(p.URI, maxLabel*5), foreign.Text(p.Name, maxLabel), foreign.Text(p.MIMEType, maxLabel)
		parts = append(parts, p)
		if word == "" && p.Type != "text" {
			word = describe(p)
		}
		words = append(words, word)
	}
	return parts, strings.Join(words, "\n")
}

func resource(r *mcp.ResourceContents) (part, string) {
	if r == nil {
		return part{Type: "resource"}, ""
	}
	return part{Type: "resource", URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, Size: len(r.Blob), Data: r.Blob}, r.Text
}

// describe returns the text in place of a part.
func describe(p part) string {
	words := []string{p.Type}
	for _, s := range []string{p.MIMEType, p.Name, p.URI} {
		if s != "" {
			words = append(words, textcut.Fit(s, maxLabel))
		}
	}
	text := strings.Join(words, " ")
	if p.Size > 0 {
		text += fmt.Sprintf(", %d bytes", p.Size)
	}
	if p.LeftOut {
		text += "; left out, because the operator allows less (max_result_bytes)"
	}
	return "[" + text + "]"
}
