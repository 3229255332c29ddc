package pdf

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/tool"
)

type pdfInfoArgs struct {
	Path string `json:"path" min:"1" doc:"PDF document to look at, relative to the workspace."`
}

type pdfInfoResult struct {
	Path      string   `json:"path"`
	Size      int64    `json:"size" doc:"Size of the file in bytes."`
	Modified  string   `json:"modified"`
	PageCount int      `json:"pageCount"`
	Info      info     `json:"info"`
	Metadata  metadata `json:"metadata"`
}

var _ = tool.Add(Set, tool.Spec[pdfInfoArgs, *pdfInfoResult]{
	Name: "pdf_info",
	Description: "Describe a PDF document of the workspace without reading its text; returns page count, size, title, author, dates and the " +
		"program that made it.",
	Aliases:    []string{"get_pdf_info"},
	Tags:       []string{"pdf info", "document info", "page count", "size", "metadata", "author", "title", "properties"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Errors:     []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.Unsupported, tool.ExecutionError},
	Example:    `{"path": "paper.pdf"}`,
	Timeout:    30 * time.Second,
	Run:        pdfInfo,
})

func pdfInfo(ctx context.Context, call *tool.Call, args pdfInfoArgs) (*pdfInfoResult, error) {
	file, err := inspect(call, args.Path)
	if err != nil {
		return nil, err
	}
	f, err := popplerFacts(ctx, call, args.Path)
	if notConfigured(err) {
		var doc *pdftext.Document
		if doc, err = open(ctx, call, args.Path); err == nil {
			f = factsOf(doc)
		}
	}
	if err != nil {
		return nil, err
	}
	return &pdfInfoResult{
		Path: args.Path, Size: file.Size(), Modified: file.ModTime().UTC().Format(time.RFC3339),
		PageCount: f.pages, Info: f.info, Metadata: f.meta,
	}, nil
}

// Present formats the facts for people.
func (r *pdfInfoResult) Present(res *tool.Result) {
	res.Text = fmt.Sprintf("%s: %d page(s), %d bytes", r.Path, r.PageCount, r.Size)
	for _, part := range []struct{ name, value string }{
		{"title", r.Info.Title}, {"author", r.Info.Author}, {"subject", r.Info.Subject}, {"keywords", r.Info.Keywords},
		{"created", r.Info.CreationDate}, {"changed", r.Info.ModDate}, {"made by", r.Info.Producer}, {"page size", r.Metadata.PageSize},
	} {
		if part.value != "" {
			res.Text += fmt.Sprintf(", %s %s", part.name, part.value)
		}
	}
	if r.Metadata.Encrypted {
		res.Text += ", encrypted"
	}
	res.Text += "."
}
