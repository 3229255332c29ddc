package documents

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Limits of one answer.
const (
	maxChars = 100_000 // characters of text
	maxParts = 1000    // names of parts
)

type readDocumentArgs struct {
	Path   string `json:"path" min:"1" doc:"Document to read, relative to the workspace: xlsx, docx, eml, mbox, XML or YAML."`
	Part   string `json:"part,omitempty" max:"300" doc:"Sheet of a workbook by name or number, message of an mbox by number, or document of a YAML file by number; the first is 1. By default the first sheet or document, and of an mbox the list of its messages."`
	Offset int    `json:"offset,omitzero" min:"0" doc:"Characters of the text to leave out at the beginning, to read on after a part of it."`
}

type documentFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

type readDocumentResult struct {
	Path        string         `json:"path"`
	Format      string         `json:"format" enum:"xlsx,docx,eml,mbox,xml,yaml" doc:"Format of the contents, whatever the name says."`
	Text        string         `json:"text" doc:"Markdown of a workbook, docx or mail; XML indented; YAML as JSON. At most 100,000 characters."`
	Part        string         `json:"part,omitempty" doc:"The part that was read."`
	Parts       []string       `json:"parts,omitempty" doc:"Names of the sheets, or of the messages of an mbox, at most 1000."`
	PartCount   int            `json:"partCount" doc:"Sheets, messages or documents there are."`
	Chars       int            `json:"chars" doc:"Characters of the whole text of the part; more is there if cut is true."`
	Offset      int            `json:"offset" doc:"Where text begins."`
	Truncated   bool           `json:"truncated" doc:"Whether there is more behind text; read on with offset."`
	Cut         bool           `json:"cut,omitempty" doc:"Whether the document has more than can be read of it."`
	Attachments []documentFile `json:"attachments,omitempty" doc:"Files that came with the mail."`
	Size        int64          `json:"size" doc:"Size of the file in bytes."`

	notes []string
}

var _ = tool.Add(Set, tool.Spec[readDocumentArgs, *readDocumentResult]{
	Name: "read_document",
	Description: "Read a spreadsheet (xlsx), Word document (docx), saved mail (eml, mbox), XML or YAML file of the workspace as text or " +
		"Markdown; returns the text of one sheet, message or document, and how much there is in all.",
	Tags:       []string{"excel", "word", "xlsx", "docx", "spreadsheet", "eml", "mbox", "xml", "yaml", "document", "read", "office", "sheet"},
	Example:    `{"path":"budget.xlsx"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Errors:     []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.Unsupported, tool.NotFound},
	Timeout:    time.Minute,
	Run:        readDocument,
})

func readDocument(ctx context.Context, call *tool.Call, args readDocumentArgs) (*readDocumentResult, error) {
	f, err := openFile(call, args.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	format, err := formatOf(f, args.Path)
	if err != nil {
		return nil, err
	}
	if f.size > format.most {
		return nil, tool.Fail(tool.FileTooLarge, "File is too large (%d bytes). Files of %s are read up to %d bytes.",
			f.size, format.name, format.most)
	}
	done, err := beginReading(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	res := &readDocumentResult{Path: args.Path, Format: format.name, Size: f.size, PartCount: 1}
	if err := format.read(ctx, f, args.Part, res); err != nil {
		return nil, err
	}
	if err := res.take(args.Offset); err != nil {
		return nil, err
	}
	if res.Format == formatEML || res.Format == formatMbox {
		outward.MarkUntrusted(call) // as read_email
	}
	for _, note := range res.notes {
		call.Note("%s", note)
	}
	if res.Cut {
		call.Note("the document has more than can be read of it.")
	}
	if res.Truncated {
		call.Note("showing characters %d to %d of %d; use offset=%d for the next ones.",
			args.Offset+1, args.Offset+utf8.RuneCountInString(res.Text), res.Chars, args.Offset+utf8.RuneCountInString(res.Text))
	}
	return res, nil
}

// take leaves the requested part of the text.
func (r *readDocumentResult) take(offset int) error {
	r.Text = strings.ToValidUTF8(strings.ReplaceAll(r.Text, "\x00", "\uFFFD"), "\uFFFD")
	r.Chars = utf8.RuneCountInString(r.Text)
	if offset > 0 && offset >= r.Chars {
		return tool.Fail(tool.ValidationError, "offset %d is past the end: the text has %d characters.", offset, r.Chars)
	}
	r.Offset = offset
	r.Text = r.Text[len(textcut.First(r.Text, offset)):]
	if r.Truncated = r.Chars-offset > maxChars; r.Truncated {
		r.Text = textcut.First(r.Text, maxChars)
	}
	return nil
}

// name adds the name of a part.
func (r *readDocumentResult) name(part string) {
	if len(r.Parts) < maxParts {
		r.Parts = append(r.Parts, part)
	}
}

func (r *readDocumentResult) notef(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// Present shows the parts and the text.
func (r *readDocumentResult) Present(res *tool.Result) {
	res.Truncated = r.Truncated || r.Cut
	var w strings.Builder
	if len(r.Parts) > 1 && r.Format != formatMbox {
		fmt.Fprintf(&w, "Part %s of %d: %s\n\n", r.Part, r.PartCount, strings.Join(r.Parts, ", "))
	}
	w.WriteString(r.Text)
	if r.Text == "" {
		w.WriteString("(there is no text)")
	}
	for _, f := range r.Attachments {
		fmt.Fprintf(&w, "\n[attachment: %s, %s, %d bytes]", f.Name, f.Type, f.Size)
	}
	res.Text = w.String()
}
