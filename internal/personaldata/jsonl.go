package personaldata

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// line is an item in JSON Lines.
type line struct {
	Collection string          `json:"collection"`
	ID         string          `json:"id"`
	Revision   int64           `json:"revision,omitempty"`
	CreatedAt  time.Time       `json:"created_at,omitzero"`
	UpdatedAt  time.Time       `json:"updated_at,omitzero"`
	Search     []string        `json:"search,omitempty"`
	Doc        json.RawMessage `json:"doc"`
}

// maxLine bounds a line of a file. An item is at most 4 MiB.
const maxLine = 16 << 20

func writeJSONL(w io.Writer, items Items) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := items(func(item *store.Item) error {
		return enc.Encode(line{item.Collection, item.ID, item.Revision, item.CreatedAt, item.UpdatedAt, item.Search, item.Doc})
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func readJSONL(r io.Reader, to receiver) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(text) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			to.skip(n, "", fmt.Errorf("it is not an item like {\"collection\": \"notes\", \"id\": \"…\", \"doc\": {…}}: %w", err))
			continue
		}
		if l.Collection == protocol.ServicesCollection {
			continue // without its secrets it is of no use
		}
		row := tool.Row{ID: l.ID, Revision: l.Revision, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Doc: l.Doc}
		if err := to.item(n, l.ID, &store.Item{Collection: l.Collection, Row: row, Search: l.Search}); err != nil {
			return err
		}
	}
	return lines.Err()
}
