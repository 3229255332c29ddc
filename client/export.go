package client

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/helve-dev/helve/protocol"
)

// exportPage is the maximum number of lines in one answer. The server returns fewer if
// they would exceed a message.
const exportPage = 1000

// AuditExport writes the records that match the filter to w as JSON Lines, with the
// seals that prove them, which `helve audit verify` checks without a server. The
// filter's Limit and Cursor are ignored. After an error w holds a part, which does not
// verify.
func (c *Client) AuditExport(ctx context.Context, f AuditFilter, w io.Writer) error {
	f.Limit, f.Cursor = exportPage, ""
	for {
		body, err := c.ask(ctx, list("audit.export", "/v1/audit/export", f.params()))
		if err != nil {
			return err
		}
		var page protocol.ExportPage
		if err := decode(body, &page); err != nil {
			return err
		}
		var text bytes.Buffer
		for _, line := range page.Lines {
			text.WriteString(line)
			text.WriteByte('\n')
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		switch page.Next {
		case "":
			return nil
		case f.Cursor:
			return foreign("the export has no end: its next page is the same again", nil)
		}
		f.Cursor = page.Next
	}
}
