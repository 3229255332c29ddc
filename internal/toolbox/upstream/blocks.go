package upstream

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// maxBlockMeta bounds the _meta and annotations of one block, in bytes.
const maxBlockMeta = 16 << 10

// marked reports whether a text has annotations or _meta, which a text alone cannot keep.
func marked(content []mcp.Content) bool {
	for _, block := range content {
		if t, ok := block.(*mcp.TextContent); ok && (t.Annotations != nil || len(t.Meta) > 0) {
			return true
		}
	}
	return false
}

// blocksOf returns an answer's content as MCP writes it, one block for each part: texts are
// cut as in the parts, and a text is in place of data that was left out. Structured content
// that is no object is added as a text, since versions before 2026-07-28 cannot send it.
func blocksOf(content []mcp.Content, parts []part, structured json.RawMessage) (json.RawMessage, error) {
	blocks := make([]mcp.Content, len(content), len(content)+1)
	for i := range content {
		blocks[i] = blockOf(content[i], &parts[i])
	}
	if len(structured) > 0 && structured[0] != '{' {
		blocks = append(blocks, &mcp.TextContent{Text: string(structured)})
	}
	return encoded(blocks)
}

// blockOf returns a block with the texts of its part, which are cleaned.
func blockOf(block mcp.Content, p *part) mcp.Content {
	if p.LeftOut {
		return &mcp.TextContent{Text: describe(*p)}
	}
	switch b := block.(type) {
	case *mcp.TextContent:
		meta, notes := bounded(b.Meta, b.Annotations)
		return &mcp.TextContent{Text: p.Text, Meta: meta, Annotations: notes}
	case *mcp.ImageContent:
		meta, notes := bounded(b.Meta, b.Annotations)
		return &mcp.ImageContent{Data: b.Data, MIMEType: p.MIMEType, Meta: meta, Annotations: notes}
	case *mcp.AudioContent:
		meta, notes := bounded(b.Meta, b.Annotations)
		return &mcp.AudioContent{Data: b.Data, MIMEType: p.MIMEType, Meta: meta, Annotations: notes}
	case *mcp.ResourceLink:
		meta, notes := bounded(b.Meta, b.Annotations)
		link := &mcp.ResourceLink{
			URI: p.URI, Name: p.Name, MIMEType: p.MIMEType, Size: b.Size, Meta: meta, Annotations: notes,
			Title: foreign.Text(b.Title, maxLabel), Description: foreign.Text(b.Description, maxDescription),
		}
		if link.Name == "" {
			link.Name = link.URI // the protocol requires one
		}
		return link
	case *mcp.EmbeddedResource:
		if b.Resource == nil {
			break
		}
		meta, notes := bounded(b.Meta, b.Annotations)
		inner, _ := bounded(b.Resource.Meta, nil)
		resource := &mcp.ResourceContents{URI: p.URI, MIMEType: p.MIMEType, Text: p.Text, Blob: p.Data, Meta: inner}
		if resource.Text == "" && resource.Blob == nil {
			resource.Blob = []byte{} // the protocol requires one of the two, and the SDK leaves out an empty text
		}
		return &mcp.EmbeddedResource{Resource: resource, Meta: meta, Annotations: notes}
	}
	return &mcp.TextContent{Text: describe(*p)}
}

// bounded returns the _meta and the annotations of a block, nothing if they are too large.
func bounded(meta mcp.Meta, notes *mcp.Annotations) (mcp.Meta, *mcp.Annotations) {
	text, err := json.Marshal([]any{meta, notes})
	if err != nil || len(text) > maxBlockMeta {
		return nil, nil
	}
	return meta, notes
}

// dataOf returns the data of a protocol error as a text for a model, with a space before it,
// and empty if there is none.
func dataOf(data json.RawMessage) string {
	if len(data) == 0 || string(data) == "null" {
		return ""
	}
	return " (data: " + foreign.Text(string(data), maxMessageText) + ")"
}
