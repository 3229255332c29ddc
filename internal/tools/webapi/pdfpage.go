package webapi

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// isPDF reports whether a body is a PDF document. Some servers declare them as bytes.
func isPDF(media string, raw []byte) bool {
	return media == "application/pdf" || bytes.HasPrefix(raw, []byte("%PDF-"))
}

// readPDF reads the text of a document, page by page.
func (r *fetchWebPageResult) readPDF(ctx context.Context, call *tool.Call, args *fetchWebPageArgs, raw []byte, cut bool) error {
	if cut {
		return tool.Fail(tool.Unsupported, "the PDF is longer than %d MB; use download_file and read_pdf", maxHTML>>20)
	}
	doc, err := pdftext.Parse(ctx, raw)
	if err != nil {
		return err
	}
	info := doc.Info()
	r.Title = textcut.Excerpt(plain(info.Title), maxTitle)
	if args.ExtractMetadata {
		for name, value := range map[string]string{
			"title": info.Title, "author": info.Author, "description": info.Subject, "keywords": info.Keywords, "pages": strconv.Itoa(doc.Count()),
		} {
			if value = textcut.Excerpt(plain(value), maxMetaValue); value != "" {
				r.Metadata[name] = value
			}
		}
	}
	if !args.ExtractText {
		return nil
	}
	const most = 4 * maxTextChars // bytes
	text, err := doc.Text(ctx, most, func(int) bool { return true })
	if err != nil {
		return err
	}
	r.Text, r.Truncated = titled(r.Title, strings.Join(text.Pages, "\n\n")), text.Cut
	if len(text.Pages) == 0 {
		call.Note("The pages of the PDF hold no text; they may be scanned images.")
	}
	if n := strings.Count(r.Text, pdftext.Unknown); n > 0 {
		call.Note("%d characters of the PDF are unknown, because it does not say which they are; they are shown as %s.", n, pdftext.Unknown)
	}
	if text.Cut {
		call.Note("The PDF has more text; use download_file and read_pdf to read some of its pages.")
	}
	return nil
}
